import RequestsConformance
import RequestsTestSupport
import RequestsTesting
import Testing

@testable import RequestsCurl

/// Responses that libcurl itself accepts or classifies differently. The conformance suite has the cases for all
/// transports.
@Suite("Invalid HTTP/1 responses that libcurl accepts", .timeLimit(.minutes(5)))
struct HostileRepliesTests {
    private func get(_ server: LoopbackServer, over transport: CurlTransport) async throws -> Response<Data> {
        try await send(.get, server, over: transport)
    }

    private func send(
        _ method: HTTPMethod,
        _ server: LoopbackServer,
        over transport: CurlTransport
    ) async throws -> Response<Data> {
        let options = CallOptions(timeouts: .unlimited)
        let url = try RequestURL(server.baseURL.absoluteString)
        let response = try await transport.send(PreparedRequest(method: method, url: url, options: options))
        return Response(head: response.head, content: try await response.content.collect(upTo: .max))
    }

    private func expectFailure(_ codes: TransportError.Code..., of reply: String) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(reply)
        }
        defer { server.stop() }
        let error = await #expect(throws: TransportError.self) { try await get(server, over: CurlTransport()) }
        #expect(error.map { codes.contains($0.code) } == true, "\(error as Any) of \(reply.prefix(200))")
    }

    @Test(
        "A switch to a protocol that wasn't offered is malformed",
        arguments: [
            "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\nhello",
            "HTTP/2 200\r\nContent-Length: 5\r\n\r\nhello", "HTTP/2 200 \r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/2 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        ]
    )
    func unoffered(reply: String) async throws {
        try await expectFailure(.malformed, of: reply)
    }

    /// libcurl before 8.22 reads only the first line of a folded field.
    @Test(
        "A folded Content-Length or Transfer-Encoding is malformed or read in full",
        arguments: [
            ("Content-Length: 2\r\n 3", nil), ("Content-Length:\r\n 5", "5\r\nhe"),
            ("Transfer-Encoding:\r\n\tchunked", "hello"),
        ] as [(String, String?)]
    )
    func folded(field: String, content: String?) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
        }
        do {
            let response = try await get(server, over: CurlTransport())
            #expect(String(decoding: response.content, as: UTF8.self) == content)
        } catch let error as TransportError {
            #expect(error.code == .malformed)
        }
    }

    @Test(
        "Trailers that aren't valid fields are malformed",
        arguments: ["no colon", "a b: c", "a: \0", "HTTP/1.1 200 OK"]
    )
    func trailers(line: String) async throws {
        let body = "5\r\nhello\r\n0\r\n\(line)\r\n\r\n"
        try await expectFailure(.malformed, of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
    }

    @Test(
        "A chunk size line that libcurl parses only in part is malformed",
        arguments: [
            "5g", "5_0", "5.", "0x5", "5;a\rb", "5;\0", SampleText("5;" + String(repeating: "a", count: 20_000)),
        ]
    )
    func chunkSize(line: SampleText) async throws {
        let body = "\(line.text)\r\nhello\r\n0\r\n\r\n"
        try await expectFailure(.malformed, of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
    }

    @Test("A chunked body without its last byte is truncated", arguments: ["", "a: b\r\n"])
    func lastByte(trailers: String) async throws {
        let body = "5\r\nhello\r\n0\r\n\(trailers)\r"
        try await expectFailure(.truncated, of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
    }

    @Test("Transfer-Encoding: identity leaves the Content-Length in force", arguments: [0, 5])
    func identity(length: Int) async throws {
        let server = try LoopbackServer { connection in
            while try connection.readRequest() != nil {
                let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: \(length)\r\n\r\n"
                try connection.write(head + "hello!!".prefix(length + 2))
            }
        }
        defer { server.stop() }
        let transport = try CurlTransport()
        // The server keeps its connections open, so only the length can end the body.
        for _ in 0..<2 {
            #expect(try await get(server, over: transport).content == Data("hello".utf8.prefix(length)))
        }
        #expect(server.acceptedConnections == 2)
    }

    @Test("A body shorter than its Content-Length is truncated with Transfer-Encoding: identity")
    func cutIdentity() async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 100\r\n\r\n"
        try await expectFailure(.truncated, of: head + "cut short")
    }

    @Test("A connection with bytes after the last chunk isn't reused")
    func surplus() async throws {
        let server = try LoopbackServer { connection in
            guard try connection.readRequest() != nil else { return }
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nHTTP/")
            guard try connection.readRequest() != nil else { return }
            try connection.write("1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
        }
        defer { server.stop() }
        let transport = try CurlTransport()
        for _ in 0..<2 { #expect(try await get(server, over: transport).content == Data("hello".utf8)) }
        #expect(server.acceptedConnections == 2)
    }

    @Test(
        "A connection with bytes after a response without a body isn't reused",
        arguments: [
            (.get, "204 No Content\r\n\r\n"), (.get, "304 Not Modified\r\nContent-Length: 9\r\n\r\n"),
            (.get, "200 OK\r\nContent-Length: 0\r\n\r\n"), (.head, "200 OK\r\nContent-Length: 5\r\n\r\n"),
        ] as [(HTTPMethod, String)]
    )
    func surplusOfNothing(method: HTTPMethod, head: String) async throws {
        let server = try LoopbackServer { connection in
            while try connection.readRequest() != nil { try connection.write("HTTP/1.1 \(head)HTTP/1.1 200") }
        }
        defer { server.stop() }
        let transport = try CurlTransport()
        for _ in 0..<3 { #expect(try await send(method, server, over: transport).content.isEmpty) }
        #expect(server.acceptedConnections == 3)
    }

    @Test(
        "A connection is reused after a response without a body",
        arguments: [(.get, "204 No Content"), (.head, "200 OK\r\nTransfer-Encoding: chunked")] as [(HTTPMethod, String)]
    )
    func nothing(method: HTTPMethod, head: String) async throws {
        let server = try LoopbackServer { connection in
            while try connection.readRequest() != nil { try connection.write("HTTP/1.1 \(head)\r\n\r\n") }
        }
        defer { server.stop() }
        let transport = try CurlTransport()
        for _ in 0..<3 { #expect(try await send(method, server, over: transport).content.isEmpty) }
        #expect(server.acceptedConnections == 1)
    }

    @Test("Oversized trailers, status lines and informational responses are too large")
    func size() async throws {
        let long = String(repeating: "x", count: 200 << 10)
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
        try await expectFailure(.tooLarge, of: "\(chunked)a: \(long)\r\n\r\n")
        try await expectFailure(.tooLarge, of: "HTTP/1.1 200 \(long)\r\n\r\n")
        let hints = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 20_000)
        try await expectFailure(.tooLarge, of: hints)
    }

    /// libcurl reports the first fault it sees, the invalid start or the length, which depends on how the bytes arrive.
    @Test("A long line that isn't HTTP is malformed or too large")
    func other() async throws {
        try await expectFailure(.malformed, .tooLarge, of: String(repeating: "x", count: 200 << 10))
        try await expectFailure(.malformed, of: String(repeating: "x", count: 200))
    }

    @Test(
        "A connection isn't reused if another recipient could frame the response differently",
        arguments: ["1.1 200 OK\r\nContent-Length: 3", "1.0 200 OK\r\nConnection: keep-alive"]
    )
    func doubtfulEnd(head: String) async throws {
        let server = try LoopbackServer { connection in
            while try connection.readRequest() != nil {
                try connection.write("HTTP/\(head)\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
            }
        }
        defer { server.stop() }
        let transport = try CurlTransport()
        for _ in 0..<3 { #expect(try await get(server, over: transport).content == Data("hello".utf8)) }
        #expect(server.acceptedConnections == 3)
    }

    @Test(
        "A connection isn't reused after a response with contradictory framing",
        arguments: [
            "1.1 204 No Content\r\nContent-Length: 5", "1.1 204 No Content\r\nTransfer-Encoding: chunked",
            "1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive, Close",
        ]
    )
    func contradiction(head: String) async throws {
        let server = try LoopbackServer { connection in
            while try connection.readRequest() != nil { try connection.write("HTTP/\(head)\r\n\r\n") }
        }
        defer { server.stop() }
        let transport = try CurlTransport()
        for _ in 0..<3 { #expect(try await get(server, over: transport).content.isEmpty) }
        #expect(server.acceptedConnections == 3)
    }
}
