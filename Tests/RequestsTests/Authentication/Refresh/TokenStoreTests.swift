import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("A store of tokens", .timeLimit(.minutes(5)))
struct TokenStoreTests {
    private let api = AnonymousRequestProvider("https://a.example")
    private let sent = Recorder<PreparedRequest>()
    private let refreshed = Recorder<AccessToken?>()
    private let clock = TestClock()

    /// A client that renews the token over itself, and whose first renewals hang until they are cancelled.
    private func client(hangingRenewals: Int) -> Client {
        let shared = Guarded<Client?>(nil)
        let tokens = TokenStore(AccessToken("old"), clock: clock) { [api, refreshed] old in
            refreshed.record(old)
            let client = try #require(shared.withLock { $0 })
            try await client.send(api.get(.none, from: "/token"))
            return AccessToken("new")
        }
        var client = Client(transport: server(hangingRenewals: hangingRenewals))
        shared.withLock { $0 = client }
        client.configuration.authentication = .refreshing(tokens)
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

    /// A client with calls of its own that shares the token.
    private func sibling(of client: Client) -> Client {
        var sibling = Client(transport: server(hangingRenewals: 0))
        sibling.configuration.authentication = client.configuration.authentication
        return sibling
    }

    @Test("keeps nothing of a renewal that was cancelled with all calls of its client")
    func cancelled() async throws {
        let client = client(hangingRenewals: 1)
        let task = Task { try await client.send(api.delete("/1")) }
        try await clock.waitForSleepers()
        client.cancelAll()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await client.send(api.delete("/2"))
        #expect(refreshed.recorded == [AccessToken("old"), AccessToken("old")])
    }

    @Test("renews again for those who still wait when a renewal is cancelled")
    func cancelledWhileOthersWait() async throws {
        let client = client(hangingRenewals: 1)
        let sibling = sibling(of: client)
        let task = Task { try await sibling.send(api.delete("/")) }
        try await clock.waitForSleepers()
        client.cancelAll()
        try await task.value
        #expect(refreshed.count == 2)
    }

    @Test("says that the renewal was cancelled where that happens twice, and keeps nothing of it either")
    func cancelledTwice() async throws {
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
        #expect(error?.message == "the renewal of the token was cancelled twice; send the request again")
        try await sibling.send(api.delete("/"))
        #expect(refreshed.count == 3)
    }

    @Test("does not renew a token that came while another one was found to have expired")
    func replacedMeanwhile() async throws {
        let shared = Guarded<TokenStore?>(nil)
        let expired = AccessToken("old", expires: Date(timeIntervalSince1970: 1000))
        let tokens = TokenStore(expired) {
            // While the date is looked at somebody else has a new token.
            shared.withLock { $0.take() }?.token = AccessToken("new")
            return Date(timeIntervalSince1970: 1000)
        } refresh: { [refreshed] old in
            refreshed.record(old)
            return AccessToken("needless")
        }
        shared.withLock { $0 = tokens }
        var client = Client(transport: server(hangingRenewals: 0))
        client.configuration.authentication = .refreshing(tokens)
        try await client.send(api.delete("/"))
        #expect(sent.recorded.map { $0.header[.authorization] } == ["Bearer new"])
        #expect(refreshed.count == 0)
    }

    @Test("renews a token that was set while a request was under way, when that is refused, too")
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
