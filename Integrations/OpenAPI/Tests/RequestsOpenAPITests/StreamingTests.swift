import Dispatch
import Foundation
import HTTPTypes
import OpenAPIRuntime
import RequestsCurl
import RequestsOpenAPI
import RequestsTesting
import Testing

@Suite("Streams of an OpenAPI transport", .timeLimit(.minutes(5)))
struct StreamingTests {
    private let transport = OpenAPITransport(over: RequestsClient.Client(transport: CurlTransport.shared))
    private let post = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")

    @Test("A server gets each chunk before the next one is made, and responds with them one by one")
    func inTurns() async throws {
        let received = AsyncStream<Void>.makeStream()
        let read = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { connection in
            _ = try connection.readHead()
            for _ in 0..<3 {
                guard try connection.readBytes(10) == Array("5\r\nchunk\r\n".utf8) else { return }
                received.continuation.yield()
            }
            _ = try connection.readBytes(5)
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for number in 0..<3 {
                try connection.write("1\r\n\(number)\r\n")
                read.wait()
            }
            try connection.write("0\r\n\r\n")
        }
        defer { server.stop() }
        // The first chunk is made at once, and each other one after the server has the one before.
        received.continuation.yield()
        let chunks = received.stream.prefix(3).map { ArraySlice("chunk".utf8) }
        let body = HTTPBody(chunks, length: .unknown, iterationBehavior: .single)
        let (_, response) = try await transport.send(post, body: body, baseURL: server.baseURL, operationID: "echo")
        var numbers: [String] = []
        for try await chunk in try #require(response) {
            numbers.append(String(decoding: chunk, as: UTF8.self))
            read.signal()
        }
        #expect(numbers == ["0", "1", "2"])
    }

    @Test("Dropping a response's body closes its connection")
    func dropped() async throws {
        let closed = AsyncStream<Void>.makeStream()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
            while try !connection.read().isEmpty {}
            closed.continuation.finish()
        }
        defer { server.stop() }
        var body = try await transport.send(post, body: nil, baseURL: server.baseURL, operationID: "get").1
        #expect(body?.length == .known(100))
        body = nil
        for await _ in closed.stream {}
    }

    @Test("Canceling the task cancels the call with CancellationError")
    func cancellation() async throws {
        let started = AsyncStream<Void>.makeStream()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            started.continuation.finish()
            while try !connection.read().isEmpty {}
        }
        defer { server.stop() }
        let task = Task {
            _ = try await transport.send(post, body: nil, baseURL: server.baseURL, operationID: "get")
        }
        for await _ in started.stream {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
