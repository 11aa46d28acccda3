import Foundation
import Requests
import RequestsClient
import Testing

@testable import RequestsURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The callbacks of a session", .timeLimit(.minutes(5)))
struct SessionExchangeTests {
    private static let request = Result { try PreparedRequest(url: RequestURL("https://h/")) }

    /// Runs callbacks without a task that makes them.
    private func body(
        _ callbacks: @escaping @Sendable (SessionExchange, URLResponse) throws -> Void
    ) async throws -> String {
        let url = URL("https://h/")
        let runner = ExchangeRunner(capabilities: [], maximumBufferedBytes: 100, open: { _ in nil })
        let response = try await runner.run(SessionExchangeTests.request.get()) { exchange in
            let session = URLSession(configuration: .ephemeral)
            defer { session.invalidateAndCancel() }
            let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
            try callbacks(SessionExchange(exchange, task: session.dataTask(with: url)), #require(head))
        }
        return String(decoding: try await response.content.collect(upTo: 100), as: UTF8.self)
    }

    @Test("the heads of the parts of multipart/x-mixed-replace are not responses")
    func parts() async throws {
        let text = try await body { exchange, head in
            for part in ["one", "two"] {
                exchange.receive(head)
                exchange.receive(Data(part.utf8))
            }
            exchange.complete(nil)
        }
        #expect(text == "onetwo")
    }

    @Test("the cancellation that Foundation reports after a rejected challenge is not a failure")
    func challenge() async throws {
        let text = try await body { exchange, head in
            exchange.noteChallenge()
            exchange.receive(head)
            exchange.receive(Data("denied".utf8))
            exchange.complete(URLError(.cancelled))
        }
        #expect(text == "denied")
    }

    @Test("any other cancellation is a failure")
    func cancellation() async throws {
        await #expect(throws: CancellationError.self) {
            _ = try await body { exchange, head in
                exchange.receive(head)
                exchange.complete(URLError(.cancelled))
            }
        }
    }
}
