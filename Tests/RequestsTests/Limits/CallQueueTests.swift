import RequestsTesting
import Testing

@Suite("The limit of concurrent calls", .timeLimit(.minutes(5)))
struct CallQueueTests {
    private let api = BaseURL("https://a.example")

    /// Counts the requests that wait for the test at the same time.
    private final class Gate: Transport {
        let capabilities: TransportCapabilities = []
        private let (arrivals, arrived) = AsyncStream<String>.makeStream()
        private let (openings, opened) = AsyncStream<Void>.makeStream()

        func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
            arrived.yield(request.url.path)
            for await _ in openings { break }
            try Task.checkCancellation()
            return try .stub(200, for: request)
        }

        func nextPath() async -> String? {
            for await path in arrivals { return path }
            return nil
        }

        func open() { opened.yield() }
    }

    private func client(_ transport: any Transport, _ limit: Int) -> Client {
        var configuration = Client.Configuration()
        configuration.maximumConcurrentCalls = limit
        return Client(transport: transport, configuration: configuration)
    }

    @Test("No more calls than the limit are in progress, and all of them run", arguments: [1, 3])
    func limit(limit: Int) async throws {
        let calls = Locked((running: 0, most: 0))
        let stub = StubTransport { request in
            calls.withLock { calls in
                calls.running += 1
                calls.most = max(calls.most, calls.running)
            }
            defer { calls.withLock { $0.running -= 1 } }
            await Task.yield()
            return try .stub(200, for: request)
        }
        let client = client(stub, limit)
        try await withThrowingTaskGroup { group in
            for number in 0..<50 { group.addTask { try await client.send(api.delete("/\(number)")) } }
            try await group.waitForAll()
        }
        #expect(calls.withLock { $0.running } == 0)
        #expect((1...limit).contains(calls.withLock { $0.most }))
        #expect(stub.requests.count == 50)
    }

    @Test("A refresh doesn't wait for a place, even if the call that started it was canceled")
    func refresh() async throws {
        let (begun, begins) = AsyncStream<Void>.makeStream()
        let (goOn, continues) = AsyncStream<Void>.makeStream()
        let stub = StubTransport { try .stub(200, for: $0) }
        let refreshing = Locked<Client?>(nil)
        let tokens = TokenStore { [api] _ in
            begins.yield()
            for await _ in goOn { break }
            try await refreshing.withLock { $0 }?.send(api.delete("/token"))
            return AccessToken("t")
        }
        var client = client(stub, 1)
        client.configuration.authenticate("https://a.example", with: .refreshing(tokens))
        refreshing.withLock { $0 = client }
        let first = Task { [client, api] in try await client.send(api.delete("/1")) }
        for await _ in begun { break }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        // The second call has the only place, and waits for the refresh.
        let second = Task { [client, api] in try await client.send(api.delete("/2")) }
        continues.yield()
        try await second.value
        #expect(stub.requests.map(\.url.path) == ["/token", "/2"])
    }

    @Test("Canceling a call that waits frees its turn")
    func canceled() async throws {
        let gate = Gate()
        let client = client(gate, 1)
        let first = Task { try await client.send(api.delete("/first")) }
        #expect(await gate.nextPath() == "/first")
        let waiting = Task { try await client.send(api.delete("/canceled")) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let last = Task { try await client.send(api.delete("/last")) }
        gate.open()
        try await first.value
        #expect(await gate.nextPath() == "/last")
        gate.open()
        try await last.value
    }

    @Test("The wait counts towards the total timeout, and nothing is sent")
    func total() async throws {
        let gate = Gate()
        let clock = TestClock()
        let unhurried = client(gate, 1)
        let first = Task { try await unhurried.send(api.delete("/first")) }
        #expect(await gate.nextPath() == "/first")
        var hurried = unhurried
        hurried.configuration.clock = clock
        hurried.configuration.timeouts.total = .seconds(5)
        let late = Task { [hurried] in try await hurried.send(api.delete("/late")) }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: TransportError.self) { try await late.value }
        #expect(error?.code == .timedOut(.total))
        #expect(error?.requestMayHaveBeenProcessed == false)
        gate.open()
        try await first.value
        let next = Task { try await unhurried.send(api.delete("/next")) }
        #expect(await gate.nextPath() == "/next")
        gate.open()
        try await next.value
    }

    @Test("Calls that wait behind a lower limit run at the same time after it was raised")
    func raised() async throws {
        let gate = Gate()
        var client = client(gate, 1)
        let first = Task { [client] in try await client.send(api.delete("/first")) }
        #expect(await gate.nextPath() == "/first")
        client.configuration.maximumConcurrentCalls = 3
        let others = (0..<2).map { _ in Task { [client] in try await client.send(api.delete("/other")) } }
        gate.open()
        try await first.value
        for _ in others { #expect(await gate.nextPath() == "/other") }
        for _ in others { gate.open() }
        for other in others { try await other.value }
    }

    @Test("A task that outlives its call isn't a part of it")
    func outliving() async throws {
        let gate = Gate()
        let tasks = Locked<[Task<Void, any Error>]>([])
        let inner = client(gate, 1)
        var outer = inner
        let provider = AuthenticationProvider.asynchronous { _ in
            tasks.withLock { tasks in
                tasks.append(Task { for _ in 0..<2 { try await inner.send(.delete("https://a.example/later")) } })
            }
        }
        outer.configuration.authenticate("https://a.example", with: provider)
        let first = Task { [outer] in try await outer.send(api.delete("/first")) }
        for _ in 0..<3 {
            #expect(await gate.nextPath() != nil)
            gate.open()
        }
        try await first.value
        for task in tasks.withLock({ $0 }) { try await task.value }
    }

    @Test("A call within another one doesn't wait for it")
    func nested() async throws {
        let stub = StubTransport { try .stub(200, for: $0) }
        let inner = client(stub, 1)
        var outer = inner
        outer.configuration.authenticate(
            "https://a.example",
            with: .asynchronous { _ in
                try await inner.send(.delete("https://login.example/token"))
            }
        )
        try await outer.send(api.delete("/"))
        #expect(stub.requests.map(\.url.text) == ["https://login.example/token", "https://a.example/"])
    }
}
