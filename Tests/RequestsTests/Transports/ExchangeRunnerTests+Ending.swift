import Foundation
import Requests
import RequestsClient
import RequestsConformance
import RequestsTestSupport
import RequestsTesting
import Testing

/// The end of an exchange before its response is complete.
extension ExchangeRunnerTests {
    @Test("Dropping the body cancels the operation")
    func dropped() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        _ = try await runner.run(request()) { exchange in
            defer { end.finish() }
            try exchange.respond(with: ExchangeRunnerTests.head())
            try await ExchangeRunnerTests.wait()
        }
        for await _ in ends {}
    }

    @Test("Shutting down ends running exchanges and rejects later ones")
    func shutdown() async throws {
        let response = try await runner.run(request()) { exchange in
            try exchange.respond(with: ExchangeRunnerTests.head())
            try await ExchangeRunnerTests.wait()
        }
        runner.shutdown()
        let ended = try await failure { _ = try await response.content.collect(upTo: 100) }
        #expect(ended.code == .shutdown)
        let refused = try await failure { _ = try await runner.run(request()) { _ in } }
        #expect(refused.code == .shutdown)
        #expect(refused.phase == .preparing)
    }

    @Test("A failing source ends the exchange even if it is read in another task")
    func sourceInTask() async throws {
        var request = try request(.post)
        request.body = .oneShot(Data("abc".utf8), length: 5)
        let error = try await failure {
            _ = try await runner.run(request) { exchange in
                Task { for try await _ in exchange.requestBody {} }
                try await ExchangeRunnerTests.wait()
            }
        }
        #expect(error.code == .sourceFailed)
    }

    @Test("Trailers have the limits of a head")
    func trailers() async throws {
        let response = try await runner.run(request()) { exchange in
            try exchange.respond(with: ExchangeRunnerTests.head())
            exchange.trailers = Header((0..<5001).map { Field(name: Field.Name("X-\($0)"), value: "") })
        }
        let error = try await failure { _ = try await response.content.collect(upTo: 100) }
        #expect(error.code == .tooLarge)
    }
}
