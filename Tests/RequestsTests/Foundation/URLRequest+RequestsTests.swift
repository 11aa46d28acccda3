#if FullFoundation
import Foundation
import Requests
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private protocol Fixed: RequestConvertible where Resource == Void {}

extension Fixed {
    var baseURL: URL { URL("https://a.example") }
    var endpoint: Endpoint { "/" }
    var method: HTTPMethod { .get }
}

private struct Computed: Fixed {
    var cachePolicy: URLRequest.CachePolicy { .returnCacheDataElseLoad }
}

private struct Stored: Fixed {
    let cachePolicy: URLRequest.CachePolicy
}

private struct Own: Fixed {
    var cachePolicy: CachePolicy = .returnCacheDataElseLoad
}

private struct Plain: Fixed {}

@Suite("URLRequests made from requests", .timeLimit(.minutes(5)))
struct URLRequestTests {
    private let api = BaseURL("https://api.example.com/v1")

    @Test("A URLRequest has the request's method, URL, fields and body")
    func parts() throws {
        let request = try api.put(.text("hello"), to: "/a/\("b/c")").with(query: ["q": "1+1"])
            .with(header: [.accept(.json)]).authenticated(with: .bearerToken("t")).toURLRequest()
        #expect(request.httpMethod == "PUT")
        #expect(request.url?.absoluteString == "https://api.example.com/v1/a/b%2Fc?q=1%2B1")
        #expect(request.httpBody == Data("hello".utf8))
        #expect(request.httpBodyStream == nil)
        #expect(
            request.allHTTPHeaderFields == [
                "Accept": "application/json", "Content-Type": "text/plain; charset=utf-8", "Authorization": "Bearer t",
            ]
        )
    }

    @Test("A cache policy counts in either type")
    func cachePolicies() throws {
        func policy<R: RequestConvertible>(of request: R) throws -> [URLRequest.CachePolicy?] {
            [try request.toURLRequest().cachePolicy, try request.prepared().options.cachePolicy.map { .init($0) }]
        }
        let expected: [URLRequest.CachePolicy?] = [.returnCacheDataElseLoad, .returnCacheDataElseLoad]
        #expect(try policy(of: Computed()) == expected)
        #expect(try policy(of: Stored(cachePolicy: .returnCacheDataElseLoad)) == expected)
        #expect(try policy(of: Own()) == expected)
        #expect(try policy(of: Plain()) == [.useProtocolCachePolicy, nil])
        #expect(Plain().cachePolicy == .useProtocolCachePolicy)
    }

    @Test("A URLRequest without a body has none, and an empty body is kept")
    func bodies() throws {
        #expect(try api.get(.data, from: "/").toURLRequest().httpBody == nil)
        #expect(try api.post(.raw(data: Data()), to: "/").toURLRequest().httpBody == Data())
    }

    @Test("Repeated fields are joined like in `dictionaryValue`")
    func repeats() throws {
        let request = api.get(.data, from: "/").with(header: [
            .acceptLanguage("en"), Field(name: "accept-language", value: "de"),
        ])
        #expect(try request.toURLRequest().value(forHTTPHeaderField: "Accept-Language") == "en,de")
    }

    @Test("A URLRequest has the idle timeout in seconds, 60 by default, and the cache policy")
    func options() throws {
        #expect(try api.get(.data, from: "/").toURLRequest().timeoutInterval == 60)
        #expect(try api.get(.data, from: "/").timeout(after: 2.5).toURLRequest().timeoutInterval == 2.5)
        #expect(try api.get(.data, from: "/").toURLRequest().cachePolicy == .useProtocolCachePolicy)
        let options = CallOptions(
            timeouts: Timeouts(idle: .milliseconds(1500)),
            cachePolicy: .returnCacheDataDontLoad
        )
        let request = try api.get(.data, from: "/").with(options: options).toURLRequest()
        #expect(request.timeoutInterval == 1.5)
        #expect(request.cachePolicy == .returnCacheDataDontLoad)
    }

    @Test("The cache policy adds Cache-Control once, also when converted back")
    func cachePolicy() throws {
        let options = CallOptions(cachePolicy: .reloadIgnoringLocalAndRemoteCacheData)
        let request = api.get(.data, from: "/").with(options: options)
        #expect(try request.prepared().header[values: .cacheControl] == ["no-cache"])
        let urlRequest = try request.toURLRequest()
        #expect(try PreparedRequest(urlRequest).header[values: .cacheControl] == ["no-cache"])
        let own = try request.with(header: [.cacheControl(.noStore)]).prepared()
        #expect(own.header[values: .cacheControl] == ["no-store"])
        let local = api.get(.data, from: "/").with(options: CallOptions(cachePolicy: .reloadIgnoringLocalCacheData))
        #expect(try !local.prepared().header.contains(.cacheControl))
    }

    @Test(
        "Building a URLRequest with a stream twice reads nothing, and the first reader gets the bytes"
    )
    func streamTwice() throws {
        let request = api.post(.raw(stream: InputStream(data: Data("streamed".utf8))), to: "/")
        let first = try #require(try request.toURLRequest().httpBodyStream)
        let second = try #require(try request.toURLRequest().httpBodyStream)
        #expect(try request.toURLRequest().httpBody == nil)
        #expect(bytes(of: second) == Data("streamed".utf8))
        #expect(second.streamStatus != .error)

        #expect(bytes(of: first) == nil, "an empty body is never sent in its place")
        #expect(first.streamStatus == .error)
        let error = first.streamError as? RequestError
        #expect(error?.code == .bodyAlreadyRead)
        #expect(error?.message.contains("Make a new request each time") == true)
    }

    /// The bytes of a stream. `nil` if it fails.
    private func bytes(of stream: InputStream) -> Data? {
        stream.open()
        defer { stream.close() }
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 3)
        while true {
            let count = stream.read(&buffer, maxLength: buffer.count)
            guard count >= 0 else { return nil }
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
        }
    }
}
#endif
