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
        let server = try LoopbackServer.http { request in
            let size = request.target.utf8.count + (request.header["X-Large"]?.utf8.count ?? 0)
            return .init(200, header: [Field(name: "X-Size", value: "\(size)")], body: Data())
        }
        defer { server.stop() }
        let relay = overTLS ? try TLSRelay(to: server.baseURL) : nil
        var configuration = CurlTransport.Configuration()
        configuration.httpVersion = .http1_1
        configuration.tls.dangerouslyUnverifiedHosts = ["127.0.0.1"]
        let transport = try CurlTransport(configuration: configuration)
        let base = try RequestURL((relay?.url ?? server.baseURL).absoluteString).textBeforePath
        // The last one is small again, over the handle of the others.
        for (target, field) in [(290_000, 1), (1, 290_000), (290_000, 290_000), (1, 1)] {
            let request = try PreparedRequest(
                method: method,
                url: RequestURL(base + "/" + String(repeating: "t", count: target - 1)),
                header: [Field(name: "X-Large", value: String(repeating: "f", count: field))],
                options: CallOptions(timeouts: .unlimited)
            )
            let size = try await transport.send(request).head.header["X-Size"]
            #expect(size == "\(target + field)")
        }
    }
}
