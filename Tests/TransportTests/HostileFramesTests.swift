import Foundation
import Requests
import RequestsClient
import RequestsCurl
import RequestsTesting
import Testing

/// HTTP/2 responses that are invalid or incomplete (RFC 9113 §8.1).
@Suite("Invalid HTTP/2 responses over libcurl", .timeLimit(.minutes(5)))
struct HostileFramesTests {
    private static let ok: KeyValuePairs = [":status": "200", "content-length": "5"]

    /// Sends a request to a server that responds with the same frames to each request.
    private func exchange(
        _ frames: @escaping @Sendable (UInt8) -> [[UInt8]],
        header: Header = .empty,
        thenCloses: Bool = false
    ) async throws -> (content: Data, trailers: Header?) {
        let server = try LoopbackServer { connection in
            try Frames.readStreams(of: connection) { stream in
                for frame in frames(stream) { try connection.write(frame) }
                if thenCloses { throw CancellationError() }
            }
        }
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.httpVersion = .http2WithPriorKnowledge
        let options = RequestOptions(timeouts: .unlimited)
        let url = try RequestURL(server.baseURL.absoluteString)
        let transport = try CurlTransport(configuration: configuration)
        let body = try await transport.send(PreparedRequest(url: url, header: header, options: options)).content
        return (try await body.collect(upTo: .max), body.trailers)
    }

    private func expectFailure(
        _ codes: TransportError.Code...,
        thenCloses: Bool = false,
        of frames: @escaping @Sendable (UInt8) -> [[UInt8]]
    ) async {
        let error = await #expect(throws: TransportError.self) { try await exchange(frames, thenCloses: thenCloses) }
        #expect(error.map { codes.contains($0.code) } == true, "\(error as Any)")
    }

    @Test("An HTTP/2 response with a Content-Length delivers trailers if the request asks for them")
    func trailers() async throws {
        for field in [Field(name: "TE", value: "gzip, Trailers"), Field(name: "TE", value: "trailers")] {
            let (content, trailers) = try await exchange(
                { stream in
                    [
                        Frames.head(Self.ok, on: stream), Frames.data("hello", on: stream, isLast: false),
                        Frames.head(["digest": "v"], on: stream, isLast: true),
                    ]
                },
                header: [field]
            )
            #expect(content == Data("hello".utf8))
            #expect(trailers?["digest"] == "v")
        }
    }

    @Test("An HTTP/2 response that ends before the connection closes is complete")
    func goingAway() async throws {
        let (content, _) = try await exchange(
            { [Frames.goAway(after: $0), Frames.head(Self.ok, on: $0), Frames.data("hello", on: $0)] },
            thenCloses: true
        )
        #expect(content == Data("hello".utf8))
    }

    @Test(
        "An HTTP/2 response with an invalid header is malformed",
        arguments: [
            [:], ["x": "y"], [":status": "20"], [":status": "099"], [":status": "200", ":status": "404"],
            ["x": "y", ":status": "200"], [":status": "200", ":path": "/"], [":status": "200", "X": "y"],
            [":status": "200", "x y": "z"], [":status": "200", "": "z"], [":status": "200", "x\r\ny": "z"],
            [":status": "200", "x": "a\r\nset-cookie: b"], [":status": "200", "x": "a\0b"],
            [":status": "200", "connection": "close"], [":status": "200", "transfer-encoding": "chunked"],
            [":status": "200", "content-length": "5x"],
            [":status": "200", "content-length": "5", "content-length": "6"],
            [":status": "101"], [":status": "204", "content-length": "5"],
        ] as [KeyValuePairs<String, String>]
    )
    func head(fields: KeyValuePairs<String, String>) async {
        await expectFailure(.malformed) { [Frames.head(fields, on: $0), Frames.data("hello", on: $0)] }
    }

    @Test("An HTTP/2 body that doesn't match its Content-Length is malformed", arguments: ["", "hell", "hello!"])
    func length(body: String) async {
        await expectFailure(.malformed) { [Frames.head(Self.ok, on: $0), Frames.data(body, on: $0)] }
    }

    @Test("An endless HTTP/2 header is too large")
    func endless() async {
        let line = Array(repeating: UInt8(ascii: "y"), count: 100)
        let field = [0, 1, UInt8(ascii: "x"), 100] + line
        let fields = [UInt8](Array(repeating: field, count: 100).joined())
        await expectFailure(.tooLarge) { stream in
            [Frames.frame(1, stream: stream, [0x88])]
                + Array(repeating: Frames.frame(9, stream: stream, fields), count: 100)
        }
    }

    @Test("An HTTP/2 response cut by its stream or connection is an error", arguments: [0, 2, 8, nil] as [UInt8?])
    func cut(code: UInt8?) async {
        await expectFailure(.closed, .truncated, thenCloses: code == nil) { stream in
            [Frames.head(Self.ok, on: stream), Frames.data("hell", on: stream, isLast: false)]
                + (code.map { [Frames.reset(stream, $0)] } ?? [])
        }
    }

    @Test("A GOAWAY before the request is processed is a closed connection", arguments: [true, false])
    func gone(thenCloses: Bool) async {
        await expectFailure(.closed, thenCloses: thenCloses) { _ in [Frames.goAway(after: 0)] }
    }
}
