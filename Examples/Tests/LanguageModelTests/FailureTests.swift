import Foundation
import RequestsTesting
import Testing

@testable import language_model

@Suite("Failures of a language model", .timeLimit(.minutes(1)))
struct FailureTests {
    private func reply(of server: ModelServer) async throws -> [String] {
        var conversation = [Message.user("Hi")]
        var pieces: [String] = []
        try await server.model.reply(to: &conversation) { pieces.append($0) }
        return pieces
    }

    /// Returns the text before the error, and the error.
    private func failure(of server: ModelServer) async -> (pieces: [String], error: (any Error)?) {
        var conversation = [Message.user("Hi")]
        var pieces: [String] = []
        do {
            try await server.model.reply(to: &conversation) { pieces.append($0) }
            return (pieces, nil)
        } catch {
            return (pieces, error)
        }
    }

    @Test("A busy model is asked again, after the wait that it asks for")
    func busy() async throws {
        let server = try ModelServer(
            .init(429, header: [Field(name: .retryAfter, value: "0")]),
            .events(text("Hello"))
        )
        #expect(try await reply(of: server) == ["Hello"])
        #expect(server.requests.count == 2)
        #expect(server.requests[0].body == server.requests[1].body)
    }

    @Test("A model that asks for a longer wait than the policy allows is an error")
    func busyForLong() async throws {
        let server = try ModelServer(.init(429, header: [Field(name: .retryAfter, value: "3600")]))
        let error = await failure(of: server).error as? ResponseError
        #expect(error?.statusCode == 429)
        #expect(server.requests.count == 1)
    }

    @Test("A failure that may have cost something isn't repeated, and has a reason", arguments: [401, 500, 503])
    func refused(status: Int) async throws {
        let server = try ModelServer(.init(status, .json, #"{"error":{"message":"no"}}"#))
        let error = try #require(await failure(of: server).error as? ResponseError)
        #expect(error.statusCode == status)
        #expect(error.underlying as? Failure == Failure(error: .init(message: "no")))
        #expect(!"\(error)".contains("s3cret"))
        #expect(server.requests.count == 1)
    }

    @Test("An error in the middle of the stream has the server's reason, and isn't retried")
    func errorEvent() async throws {
        let server = try ModelServer(.events(text("Hel"), #"{"error":{"message":"overloaded"}}"#))
        let (pieces, error) = await failure(of: server)
        #expect(pieces == ["Hel"])
        #expect((error as? ResponseError)?.code == .failure)
        #expect((error as? ResponseError)?.underlying as? Failure == Failure(error: .init(message: "overloaded")))
        #expect(server.requests.count == 1)
    }

    @Test("A stream that ends or breaks before its mark is an error, and isn't retried", arguments: [false, true])
    func truncated(breaks: Bool) async throws {
        let server = try ModelServer(
            .events(text("Hel")) { _ in if breaks { throw POSIXError(.ECONNRESET) } }
        )
        let (pieces, error) = await failure(of: server)
        #expect(pieces == ["Hel"])
        #expect((error as? TransportError)?.code == .truncated)
        #expect(server.requests.count == 1)
    }

    @Test("Canceling the task closes the connection")
    func cancellation() async throws {
        let (closed, continuation) = AsyncStream.makeStream(of: Bool.self)
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: \(text("Hel"))\n\n")
            // Nothing arrives until the client closes the connection.
            continuation.yield(try connection.read().isEmpty)
        }
        let model = ModelServer.model(at: server.baseURL)
        let task = Task {
            var conversation = [Message.user("Hi")]
            try await model.reply(to: &conversation) { _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await closed.first { _ in true } == true)
    }
}
