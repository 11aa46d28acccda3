import Dispatch
import RequestsTesting
import Testing

@Suite("Token store", .timeLimit(.minutes(5)))
struct TokenStoreTests {
    private let api = BaseURL("https://a.example")
    private let sent = Recorder<PreparedRequest>()
    private let refreshed = Recorder<AccessToken?>()
    private let clock = TestClock()

    /// A client that refreshes the token over itself. Its first refreshes hang until they are canceled.
    private func client(hangingRenewals: Int) -> Client {
        let shared = Locked<Client?>(nil)
        let tokens = TokenStore(AccessToken("old"), clock: clock) { [api, refreshed] old in
            refreshed.record(old)
            let client = try #require(shared.withLock { $0 })
            try await client.send(api.get(.none, from: "/token"))
            return AccessToken("new")
        }
        var client = Client(transport: server(hangingRenewals: hangingRenewals))
        shared.withLock { $0 = client }
        client.configuration.authenticate("https://a.example", with: .refreshing(tokens))
        return client
    }

    private func server(hangingRenewals: Int) -> StubTransport {
        StubTransport { [clock, refreshed, sent] request in
            if request.url.path == "/token" {
                if refreshed.count <= hangingRenewals { try await clock.sleep(for: .seconds(100)) }
                return try .stub(200, for: request)
            }
            sent.record(request)
            return try .stub(request.header[.authorization] == "Bearer new" ? 200 : 401, for: request)
        }
    }

    /// A client with separate calls that shares the token store.
    private func sibling(of client: Client) -> Client {
        Client(transport: server(hangingRenewals: 0), configuration: client.configuration)
    }

    @Test("A refresh that was canceled by `cancelAll()` isn't remembered as failed")
    func canceled() async throws {
        let client = client(hangingRenewals: 1)
        let task = Task { try await client.send(api.delete("/1")) }
        try await clock.waitForSleepers()
        client.cancelAll()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await client.send(api.delete("/2"))
        #expect(refreshed.recorded == [AccessToken("old"), AccessToken("old")])
    }

    @Test("A refresh gets the priority of a request that joins it", .timeLimit(.minutes(5)))
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func priority() async throws {
        let (starts, didStart) = AsyncStream.makeStream(of: Void.self)
        let (priorities, didEscalate) = AsyncStream.makeStream(of: TaskPriority.self)
        let tokens = TokenStore(clock: clock) { _ in
            await withTaskPriorityEscalationHandler {
                didStart.yield()
                for await priority in priorities where priority >= .high { break }
            } onPriorityEscalated: { _, priority in
                didEscalate.yield(priority)
            }
            return AccessToken("new")
        }
        var client = Client(transport: StubTransport { try .stub(200, for: $0) })
        client.configuration.authenticate("https://a.example", with: .refreshing(tokens))
        let (first, request) = (client, api.get(.none, from: "/"))
        // On one thread, so that the refresh starts when the first request waits for it.
        let low = Task(executorPreference: OneThread(), priority: .low) { try await first.send(request) }
        for await _ in starts { break }
        // The refresh ends only if its priority rises.
        let high = Task(priority: .high) { try await first.send(request) }
        try await low.value
        try await high.value
    }

    @Test("A canceled refresh is repeated for requests that still wait")
    func canceledWhileOthersWait() async throws {
        let client = client(hangingRenewals: 1)
        let sibling = sibling(of: client)
        let task = Task { try await sibling.send(api.delete("/")) }
        try await clock.waitForSleepers()
        client.cancelAll()
        try await task.value
        #expect(refreshed.count == 2)
    }

    @Test("A refresh that is canceled twice throws and isn't remembered as failed")
    func canceledTwice() async throws {
        let client = client(hangingRenewals: 2)
        let sibling = sibling(of: client)
        let task = Task { try await sibling.send(api.delete("/")) }
        for _ in 0..<2 {
            try await clock.waitForSleepers()
            client.cancelAll()
        }
        let error = await #expect(throws: ClientError.self) { try await task.value }
        #expect(error?.code == .refreshFailed)
        #expect(error?.underlying is CancellationError)
        #expect(error?.message == "The refresh of the token was canceled twice. Send the request again.")
        try await sibling.send(api.delete("/"))
        #expect(refreshed.count == 3)
    }

    @Test("A token that was set while an expired one was detected isn't refreshed")
    func replacedMeanwhile() async throws {
        let shared = Locked<TokenStore?>(nil)
        let expired = AccessToken("old", expires: Date(timeIntervalSince1970: 1000))
        let tokens = TokenStore(expired) {
            // Sets a new token while the store reads the date.
            shared.withLock { $0.take() }?.token = AccessToken("new")
            return Date(timeIntervalSince1970: 1000)
        } refresh: { [refreshed] old in
            refreshed.record(old)
            return AccessToken("needless")
        }
        shared.withLock { $0 = tokens }
        var client = Client(transport: server(hangingRenewals: 0))
        client.configuration.authenticate("https://a.example", with: .refreshing(tokens))
        try await client.send(api.delete("/"))
        #expect(sent.recorded.map { $0.header[.authorization] } == ["Bearer new"])
        #expect(refreshed.count == 0)
    }

    @Test("A token that was set during a request is refreshed if the server rejects it, too")
    func setMeanwhile() async throws {
        let tokens = TokenStore(AccessToken("old")) { [refreshed] old in
            refreshed.record(old)
            return AccessToken("new")
        }
        let transport = StubTransport { [sent] request in
            sent.record(request)
            switch request.header[.authorization] {
            case "Bearer old":
                tokens.token = AccessToken("set")
                return try .stub(401, for: request)
            case "Bearer new": return try .stub(200, for: request)
            default: return try .stub(401, for: request)
            }
        }
        try await Client(transport: transport).send(api.delete("/").authenticated(with: .refreshing(tokens)))
        #expect(sent.recorded.map { $0.header[.authorization] } == ["Bearer old", "Bearer set", "Bearer new"])
        #expect(refreshed.recorded == [AccessToken("set")])
    }
}

/// Runs one job after the other.
private final class OneThread: TaskExecutor {
    private let queue = DispatchQueue(label: "TokenStoreTests")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
