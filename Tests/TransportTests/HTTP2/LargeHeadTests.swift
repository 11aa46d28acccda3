#if os(Linux) || os(macOS)
import RequestsConformance
import RequestsTesting
import Testing

@testable import RequestsCurl

/// Requests whose head is larger than libcurl can send over HTTP/2.
@Suite("Large heads of requests", .timeLimit(.minutes(5)))
struct LargeHeadTests {
    /// Responds with the HTTP version that the client speaks.
    private static func server() throws -> LoopbackServer {
        try LoopbackServer { connection in
            guard let first = try connection.readHead() else { return }
            guard first.hasPrefix("PRI") else {
                var head: String? = first
                while head != nil {
                    try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n1.1")
                    head = try connection.readHead()
                }
                return
            }
            _ = try connection.readBytes(6)
            try connection.write(.settings())
            try connection.readStreams { stream in
                try connection.write(.headers([":status": "200"], on: stream), .data("2", on: stream))
            }
        }
    }

    private static func request(_ url: URL, _ size: Int, inPath: Bool) throws -> PreparedRequest {
        let text = String(repeating: "a", count: size)
        return try PreparedRequest(
            method: .post,
            url: RequestURL(url.absoluteString + (inPath ? text : "")),
            header: inPath ? [] : [Field(name: "X-Large", value: text)],
            options: CallOptions(timeouts: Timeouts(idle: .seconds(20)))
        )
    }

    @Test(
        "A head above 64 KiB is sent over HTTP/1.1, and harms no other request",
        arguments: [60_000, 64_000, 65_500, 70_000, 90_000],
        [true, false]
    )
    func fallback(size: Int, inPath: Bool) async throws {
        let server = try Self.server()
        let relay = try TLSRelay(to: server.baseURL)
        var configuration = CurlTransport.Configuration()
        configuration.tls.dangerouslyUnverifiedHosts = ["127.0.0.1"]
        let transport = try CurlTransport(configuration: configuration)
        func send(_ size: Int) async throws -> Data {
            try await transport.send(Self.request(relay.url, size, inPath: inPath)).content.collect(upTo: 3)
        }
        #expect(try await send(1) == Data("2".utf8))
        async let other = send(2)
        #expect(try await send(size) == Data((size < 64_300 ? "2" : "1.1").utf8))
        #expect(try await other == Data("2".utf8))
        #expect(try await send(1) == Data("2".utf8))
        #expect(server.acceptedConnections == (size < 64_300 ? 1 : 2))
    }

    @Test("A head above 64 KiB is an error if only HTTP/2 is allowed", arguments: [true, false])
    func rejected(inPath: Bool) async throws {
        let server = try Self.server()
        let transport = try CurlTransport.withPriorKnowledge()
        let request = try Self.request(server.baseURL.appending(path: "/"), 70_000, inPath: inPath)
        let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("64 KiB") == true)
        #expect(error?.requestMayHaveBeenProcessed == false)
        #expect(server.acceptedConnections == 0)
    }
}
#endif
