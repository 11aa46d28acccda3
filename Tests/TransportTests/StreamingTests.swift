import Foundation
import Requests
import RequestsCurl
import RequestsTesting
import Testing

@Suite("Bodies that are streamed, over libcurl")
struct StreamingTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer.http { request in
            let framing = request.header[.transferEncoding] ?? request.header[.contentLength] ?? "none"
            return .init(200, header: [Field(name: "X-Framing", value: framing)], body: request.body)
        }
    }

    private var api: AnonymousRequestProvider { AnonymousRequestProvider(baseURL: server.baseURL) }
    private let bytes = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 17) })

    @Test("a stream of known length is sent with its length", arguments: [true, false])
    func stream(knowsLength: Bool) async throws {
        let client = Client(transport: try CurlTransport())
        let length = knowsLength ? Int64(bytes.count) : nil
        let request = api.post(.raw(stream: InputStream(data: bytes), length: length), to: "/").receiving(.data)
        let response = try await client.response(for: request)
        #expect(response.content == bytes)
        #expect(response.head.header["X-Framing"] == (knowsLength ? "500000" : "chunked"))
    }

    @Test("a stream is sent once: a second sending is an error, not an empty body")
    func twice() async throws {
        let client = Client(transport: try CurlTransport())
        let request = api.post(.raw(stream: InputStream(data: bytes)), to: "/").receiving(.data)
        #expect(try await client.send(request) == bytes)
        let error = await #expect(throws: RequestError.self) { try await client.send(request) }
        #expect(error?.code == .bodyAlreadyRead)
        #expect(server.acceptedConnections == 1)
    }

    @Test("a stream that ends early or late is an error with its cause", arguments: [400_000, 600_000])
    func wrongLength(length: Int64) async throws {
        let client = Client(transport: try CurlTransport())
        let request = api.post(.raw(stream: InputStream(data: bytes), length: length), to: "/").receiving(.data)
        let error = await #expect(throws: TransportError.self) { try await client.send(request) }
        #expect(error?.code == .sourceFailed)
        #expect((error?.underlying as? RequestError)?.code == .bodyLengthMismatch)
    }

    @Test("receiving stops while nobody reads, and goes on where it stopped")
    func backPressure() async throws {
        let total = 64 << 20
        let sent = Guarded(0)
        let stalled = AsyncStream.makeStream(of: Int.self)
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            let chunk = [UInt8](repeating: 120, count: 64 << 10)
            Thread.detachNewThread {
                // Twice the same count, half a second apart, is a stall.
                var last = -1
                while last != sent.withLock({ $0 }) {
                    last = sent.withLock { $0 }
                    Thread.sleep(forTimeInterval: 0.5)
                }
                stalled.continuation.yield(last)
            }
            for _ in 0..<(total / chunk.count) {
                try connection.write(chunk)
                sent.withLock { $0 += chunk.count }
            }
        }
        let request = try AnonymousRequestProvider(baseURL: server.baseURL).get(.data, from: "/").prepared()
        let body = try await CurlTransport().send(request).content
        for await sentAtStall in stalled.stream {
            // What waits is in the channel, one buffer of libcurl and the two sockets' buffers.
            #expect(sentAtStall < 16 << 20)
            break
        }
        var count = 0
        for try await chunk in body { count += chunk.count }
        #expect(count == total)
    }

    @Test("trailers are there after the end, and not before")
    func trailers() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n")
            try connection.write("5\r\nhello\r\n0\r\nX-Sum: 532\r\n\r\n")
        }
        let request = try AnonymousRequestProvider(baseURL: server.baseURL).get(.data, from: "/").prepared()
        let body = try await CurlTransport().send(request).content
        #expect(body.trailers == nil)
        #expect(try await body.collect(upTo: 100) == Data("hello".utf8))
        #expect(body.trailers == [Field(name: "X-Sum", value: "532")])
    }

    @Test("an informational head is not the response's")
    func informational() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: 1\r\nX-A: 2\r\n\r\nok")
        }
        let client = Client(transport: try CurlTransport())
        let response = try await client.response(
            for: AnonymousRequestProvider(baseURL: server.baseURL).get(.text, from: "/")
        )
        #expect(response.head.statusCode == 200)
        #expect(response.head.header[values: "X-A"] == ["1", "2"])
        #expect(!response.head.header.contains("Link"))
        #expect(response.head.httpVersion == .http1_1)
    }

    @Test("many transports come and go")
    func manyTransports() async throws {
        for _ in 0..<50 {
            let client = Client(transport: try CurlTransport())
            _ = try await client.send(api.post(.text("x"), to: "/"))
        }
    }
}
