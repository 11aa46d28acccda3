import RequestsConformance
import RequestsTesting
import Testing

@testable import RequestsCurl

@Suite("Large headers of requests", .timeLimit(.minutes(5)))
struct LargeHeaderTests {
    @Test(
        "A header of several hundred kilobytes is sent as a whole, in its fields or its target",
        arguments: [HTTPMethod.get, .head, .post],
        [false, true]
    )
    func whole(method: HTTPMethod, overTLS: Bool) async throws {
        let server = try Self.server()
        defer { server.stop() }
        let relay = overTLS ? try TLSRelay(to: server.baseURL) : nil
        let url = relay?.url ?? server.baseURL
        let transport = try Self.transport(.http1_1)
        // The last one is small again, over the handle of the others.
        for (target, field) in [(290_000, 1), (1, 290_000), (290_000, 290_000), (1, 1)] {
            let size = try await Self.size(of: target, field, method, to: url, over: transport)
            #expect(size == target + field)
        }
    }

    @Test("A header that is too large for HTTP/2 is sent as a whole over HTTP/1.1")
    func tooLargeForHTTP2() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let relay = try TLSRelay(to: server.baseURL)
        let transport = try Self.transport(.http2)
        for (target, field) in [(1, 66_000), (1, 290_000), (200_000, 290_000)] {
            let size = try await Self.size(of: target, field, .get, to: relay.url, over: transport)
            #expect(size == target + field)
        }
    }

    /// A server that responds with the number of bytes of the target and of one field.
    private static func server() throws -> LoopbackServer {
        try LoopbackServer.http { request in
            let size = request.target.utf8.count + (request.header["X-Large"]?.utf8.count ?? 0)
            return .init(200, header: [Field(name: "X-Size", value: "\(size)")], body: Data())
        }
    }

    private static func transport(_ version: CurlTransport.PreferredVersion) throws -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.httpVersion = version
        configuration.tls.dangerouslyUnverifiedHosts = ["127.0.0.1"]
        return try CurlTransport(configuration: configuration)
    }

    private static func size(
        of target: Int,
        _ field: Int,
        _ method: HTTPMethod,
        to server: URL,
        over transport: CurlTransport
    ) async throws -> Int? {
        let base = try RequestURL(server.absoluteString).textBeforePath
        let request = try PreparedRequest(
            method: method,
            url: RequestURL(base + "/" + String(repeating: "t", count: target - 1)),
            header: [Field(name: "X-Large", value: String(repeating: "f", count: field))],
            options: CallOptions(timeouts: .unlimited)
        )
        return try await transport.send(request).head.header["X-Size"].flatMap { Int($0) }
    }
}
