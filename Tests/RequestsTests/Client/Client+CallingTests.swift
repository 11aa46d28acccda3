import Foundation
import RequestsTesting
import Testing

@Suite("Ways to call a client", .timeLimit(.minutes(5)))
struct ClientCallingTests {
    private static let key = DispatchSpecificKey<Bool>()

    private let api = BaseURL("https://a.example")
    private let clock = TestClock()
    private let queue = DispatchQueue(label: "ClientCallingTests")

    /// Waits between attempts while the clock stands still.
    private var unavailable: Client {
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.retries = .fixed(.seconds(1))
        return Client(transport: StubTransport { try .stub(503, for: $0) }, configuration: configuration)
    }

    @Test("A completion handler runs once on its queue")
    func callback() async throws {
        queue.setSpecific(key: Self.key, value: true)
        let client = Client(transport: StubTransport { try .stub(200, body: Data("hello".utf8), for: $0) })
        let text = try await withCheckedThrowingContinuation { continuation in
            client.send(api.get(.text, from: "/"), on: queue) { result in
                #expect(DispatchQueue.getSpecific(key: Self.key) == true)
                continuation.resume(with: result)
            }
        }
        #expect(text == "hello")
    }

    @Test("A completion handler gets the error")
    func callbackFailure() async throws {
        let client = Client(transport: StubTransport { try .stub(404, for: $0) })
        await #expect(throws: ResponseError.self) {
            try await withCheckedThrowingContinuation { continuation in
                client.send(api.delete("/"), on: queue) { continuation.resume(with: $0) }
            }
        }
    }

    @Test("Canceling the handle during the wait for a retry cancels the call")
    func cancelHandle() async throws {
        await #expect(throws: CancellationError.self) {
            try await withCheckedThrowingContinuation { continuation in
                let handle = unavailable.send(api.delete("/"), on: queue) { continuation.resume(with: $0) }
                Task {
                    try await clock.waitForSleepers()
                    handle.cancel()
                    handle.cancel()
                }
            }
        }
    }

    @Test("The sequence of failures ends with its task")
    func cancelListener() async throws {
        let client = unavailable
        let call = Task {
            async let failures: Void = { for await _ in client.failures() {} }()
            try await client.send(api.delete("/"))
            await failures
        }
        try await clock.waitForSleepers()
        client.cancelAll()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test("`result(of:)` returns the value or the error")
    func result() async throws {
        let client = Client(
            transport: StubTransport { try .stub($0.url.path == "/ok" ? 200 : 404, body: Data("x".utf8), for: $0) }
        )
        #expect(try await client.result(of: api.get(.text, from: "/ok")).get() == "x")
        guard case .failure(let error) = await client.result(of: api.get(.text, from: "/")) else {
            Issue.record("no failure")
            return
        }
        #expect((error as? ResponseError)?.data == Data("x".utf8))
    }

    @Test("`cancelAll` cancels all calls, including those of copies, but not later ones")
    func cancelAll() async throws {
        let client = unavailable
        var copy = client
        copy.configuration.validation = .none
        let tasks = (0..<5).map { [copy] number in
            Task { try await (number < 3 ? client : copy).send(api.delete("/\(number)")) }
        }
        let streaming = Task { try await client.stream(api.delete("/")) }
        let results = AsyncStream<Bool> { continuation in
            client.send(api.delete("/"), on: queue) { result in
                if case .failure(let error) = result { continuation.yield(error is CancellationError) }
                continuation.finish()
            }
        }
        try await clock.waitForSleepers(7)
        client.cancelAll()
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        await #expect(throws: CancellationError.self) { _ = try await streaming.value }
        #expect(await results.reduce(into: []) { $0.append($1) } == [true])
        #expect(clock.sleeperCount == 0)

        #expect(try await client.stream(api.delete("/").retrying(.never)).head.statusCode == 503)
        client.cancelAll()
        #expect(!Task.isCancelled)
    }
}
