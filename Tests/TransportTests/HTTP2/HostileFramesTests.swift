import RequestsConformance
import RequestsCurl
import RequestsTesting
import Testing

/// HTTP/2 responses whose outcome is particular to libcurl. The conformance suite has the others.
@Suite("HTTP/2 responses over libcurl", .timeLimit(.minutes(5)))
struct HostileFramesTests {
    /// Sends a request to a server that responds with the same frames to each request.
    private func exchange(
        _ frames: @escaping @Sendable (UInt32) -> [HTTP2.Frame],
        header: Header = .empty
    ) async throws -> (content: Data, trailers: Header?) {
        let server = try LoopbackServer { connection in
            try connection.acceptHTTP2()
            try connection.readStreams { try connection.write(frames($0)) }
        }
        defer { server.stop() }
        let options = CallOptions(timeouts: .unlimited)
        let url = try RequestURL(server.baseURL.absoluteString)
        let body = try await CurlTransport.withPriorKnowledge()
            .send(PreparedRequest(url: url, header: header, options: options)).content
        return (try await body.collect(upTo: .max), body.trailers)
    }

    @Test("An HTTP/2 response with a Content-Length delivers trailers if the request asks for them")
    func trailers() async throws {
        for field in [Field(name: "TE", value: "gzip, Trailers"), Field(name: "TE", value: "trailers")] {
            let (content, trailers) = try await exchange(
                { stream in
                    [
                        .headers([":status": "200", "content-length": "5"], on: stream),
                        .data("hello", on: stream, endStream: false),
                        .headers(["digest": "v"], on: stream, endStream: true),
                    ]
                },
                header: [field]
            )
            #expect(content == Data("hello".utf8))
            #expect(trailers?["digest"] == "v")
        }
    }

    @Test("An endless HTTP/2 header is too large")
    func endless() async {
        let field = HPACK.literal("x", String(repeating: "y", count: 100))
        let fields = Array(repeatElement(field, count: 100).joined())
        let error = await #expect(throws: TransportError.self) {
            try await exchange { stream in
                [.headers([":status": "200"], on: stream, endHeaders: false)]
                    + Array(repeating: .continuation(block: fields, on: stream, endHeaders: false), count: 100)
            }
        }
        #expect(error?.code == .tooLarge)
    }
}
