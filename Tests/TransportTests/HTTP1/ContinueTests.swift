import RequestsConformance
import RequestsTestSupport
import RequestsTesting
import Testing

@testable import RequestsCurl

/// Requests with `Expect: 100-continue` over HTTP/2.
@Suite("Waiting for 100 Continue", .timeLimit(.minutes(5)))
struct ContinueTests {
    /// Returns the number of bytes of the body before the first response, and the status.
    private func exchange(_ first: String?, _ body: RequestBody) async throws -> (early: Int, status: Int) {
        let early = Locked(0)
        let server = try LoopbackServer { connection in
            try connection.acceptHTTP2()
            var hasResponded = false
            while let frame = try connection.readFrame() {
                try connection.acknowledge(frame)
                if frame.kind == .headers, let first {
                    // The client reads this after it could have sent the body.
                    try connection.write(.ping())
                    while let frame = try connection.readFrame(), frame.kind != .ping {
                        if frame.kind == .data { early.withLock { $0 += frame.payload.count } }
                        try connection.acknowledge(frame)
                    }
                    hasResponded = first != "100"
                    try connection.write(.headers([":status": first], on: frame.stream, endStream: hasResponded))
                }
                if frame.kind == .data, frame.flags.contains(.endStream), !hasResponded {
                    try connection.write(.headers([":status": "200"], on: frame.stream, endStream: true))
                }
            }
        }
        let transport = try CurlTransport.withPriorKnowledge()
        let request = try PreparedRequest(
            method: .post,
            url: RequestURL(server.baseURL.absoluteString),
            header: [Field(name: "Expect", value: "100-continue"), .contentType(.binary)],
            body: body,
            options: CallOptions(timeouts: .unlimited)
        )
        let response = try await transport.send(request)
        _ = try await response.content.collect(upTo: 0)
        return (early.withLock { $0 }, response.statusCode)
    }

    private static let bodies: [Named<RequestBody>] = [
        Named("small", .data(Data(count: 5))), Named("large", .data(Data(count: 60_000))),
    ]

    @Test("Over HTTP/2, the body is sent when the server asks for it", arguments: bodies)
    func asked(body: Named<RequestBody>) async throws {
        #expect(try await exchange("100", body.value) == (0, 200))
    }

    @Test("Over HTTP/2, the body isn't sent if the server refuses it", arguments: bodies)
    func refused(body: Named<RequestBody>) async throws {
        #expect(try await exchange("417", body.value) == (0, 417))
    }

    @Test("Over HTTP/2, the body is sent if the server doesn't ask for it", arguments: bodies)
    func notAsked(body: Named<RequestBody>) async throws {
        #expect(try await exchange(nil, body.value) == (0, 200))
    }
}
