import RequestsClient
import RequestsTestSupport
import Testing

@Suite("Suspending a library while the reader is behind", .timeLimit(.minutes(5)))
struct SuspensionTests {
    private let runner = ExchangeRunner(capabilities: [], maximumBufferedBytes: 10, open: { _ in nil })
    private let written = AsyncStream.makeStream(of: Void.self)
    private let caughtUp = AsyncStream.makeStream(of: Void.self)
    private let chunk = Data(count: 5)

    private func respond(
        _ operation: @escaping @Sendable (Exchange) async throws -> Void
    ) async throws -> ResponseBody.AsyncIterator {
        let request = try PreparedRequest(url: RequestURL("https://h/"))
        let response = try await runner.run(request) { exchange in
            try exchange.respond(with: ResponseHead(statusCode: 200, url: request.url))
            try await operation(exchange)
        }
        for await _ in written.stream { break }
        return response.content.makeAsyncIterator()
    }

    @Test("Each suspension ends when the reader has caught up")
    func balance() async throws {
        let body = try await respond { [written, chunk] exchange in
            let suspensions = try (0..<4).filter { _ in try exchange.receive(chunk) }
            written.continuation.yield()
            for _ in suspensions { try await exchange.waitForReader() }
            #expect(suspensions == [1, 2, 3])
        }
        var count = 0
        while try await body.next() != nil { count += 1 }
        #expect(count == 4)
    }

    @Test("A reader that catches up before the wait ends only that wait")
    func lateWait() async throws {
        let steps = Locked<[String]>([])
        let body = try await respond { [written, caughtUp, chunk] exchange in
            _ = try exchange.receive(chunk)
            #expect(try exchange.receive(chunk))
            written.continuation.yield()
            for await _ in caughtUp.stream { break }
            try await exchange.waitForReader()
            _ = try exchange.receive(chunk)
            #expect(try exchange.receive(chunk))
            written.continuation.yield()
            try await exchange.waitForReader()
            steps.withLock { $0.append("resumed") }
        }
        for _ in 0..<2 { _ = try await body.next() }
        caughtUp.continuation.yield()
        for await _ in written.stream { break }
        for _ in 0..<100 { await Task.yield() }
        steps.withLock { $0.append("read") }
        while try await body.next() != nil {}
        #expect(steps.withLock { $0 } == ["read", "resumed"])
    }
}
