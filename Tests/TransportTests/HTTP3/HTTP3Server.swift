import RequestsConformance
import RequestsSystem
import Testing

@testable import RequestsCurl

/// The servers for HTTP/3 that `scripts/libcurls` starts with a libcurl that speaks it.
enum HTTP3 {
    private static let environment = ProcessInfo.processInfo.environment
    /// caddy, which forwards `/to/PORT/…` to a server on this machine.
    static let proxyURL = environment["REQUESTS_HTTP3_URL"].flatMap { URL(string: $0) }
    static let python = environment["REQUESTS_HTTP3_PYTHON"]

    static var isTested: Bool { proxyURL != nil && LinkedLibcurl.has(.http3) }
    static let reason: Comment = "the linked libcurl has no HTTP/3; scripts/libcurls 8.23.0 tests with one that has"

    static func transport(
        _ version: CurlTransport.PreferredVersion = .http3Only,
        _ change: (inout CurlTransport.Configuration) throws -> Void = { _ in }
    ) throws -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.httpVersion = version
        configuration.tls.authorities = .file(try #require(Nginx.authority))
        try change(&configuration)
        return try CurlTransport(configuration: configuration)
    }
}

#if os(Linux) || os(macOS)
/// A server for HTTP/3 that breaks the rules as the path of a request says: `Tests/Fixtures/http3_server.py`.
final class HTTP3Server: Sendable {
    let url: URL
    private let process: Subprocess

    /// - Parameter certificate: The name of the certificate's file in nginx's folder.
    init(certificate: String = "cert.pem", key: String = "key.pem") throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let script = folder.appending(path: "../../Fixtures/http3_server.py")
        process = try Subprocess(
            try #require(HTTP3.python),
            [script.standardizedFileURL.path, certificate, key],
            in: Nginx.certificates
        )
        var port = ""
        while !port.hasSuffix("\n"), let data = try process.output.read(upTo: 16) {
            port += String(decoding: data, as: UTF8.self)
        }
        url = try #require(URL(string: "https://127.0.0.1:\(port.dropLast())/"))
    }

    deinit {
        process.closeInput()
        _ = try? process.waitUntilExit()
    }

    /// - Parameter path: What the server does, such as `reset?10c`.
    func request(_ path: String, _ method: HTTPMethod = .get, body: RequestBody = .none) throws -> PreparedRequest {
        try PreparedRequest(
            method: method,
            url: try RequestURL(url.absoluteString + path),
            body: body,
            options: CallOptions(timeouts: .unlimited)
        )
    }
}
#endif
