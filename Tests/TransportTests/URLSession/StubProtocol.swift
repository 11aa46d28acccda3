#if FullFoundation
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Responds in ways that no server can, selected by the path.
final class StubProtocol: URLProtocol {
    override static func canInit(with request: URLRequest) -> Bool { request.url?.host() == "stub.invalid" }
    override static func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url, let ftp = URL(string: "ftp://stub.invalid") else { return }
        let path = url.path()
        let origin = path == "/ftp" ? ftp : url
        let plain = URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        let http = HTTPURLResponse(url: origin, statusCode: 200, httpVersion: nil, headerFields: nil)
        if let response = path == "/plain" ? plain : http, path != "/nothing" {
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        }
        if path != "/late" { client?.urlProtocolDidFinishLoading(self) }
        let fails = ["/late", "/twice"].contains(path)
        if fails { client?.urlProtocol(self, didFailWithError: URLError(.networkConnectionLost)) }
    }

    override func stopLoading() {}
}
#endif
