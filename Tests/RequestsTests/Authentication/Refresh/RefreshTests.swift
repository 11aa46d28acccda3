import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("A token that is refreshed", .timeLimit(.minutes(1)))
struct RefreshTests {
    private struct Refused: Error {}

    private let api = AnonymousRequestProvider("https://a.example")
    private let sent = Recorder<PreparedRequest>()
    private let refreshed = Recorder<AccessToken?>()
    private let clock = TestClock()

    /// A server that accepts one token, and answers all others with 401.
    private func client(accepting token: String, _ tokens: TokenStore) -> Client {
        var configuration = Client.Configuration()
        configuration.authentication = .refreshing(tokens)
        let transport = StubTransport { [sent] request in
            sent.record(request)
            let isAccepted = request.header[.authorization] == "Bearer \(token)"
            return try .stub(isAccepted ? 200 : 401, for: request)
        }
        return Client(transport: transport, configuration: configuration)
    }

    private func store(
        _ token: AccessToken?,
        refresh: @escaping @Sendable (AccessToken?) async throws -> AccessToken = { _ in AccessToken("new") }
    ) -> TokenStore {
        TokenStore(token, clock: clock, date: { Date(timeIntervalSince1970: 1000) }) { [refreshed] old in
            refreshed.record(old)
            return try await refresh(old)
        }
    }

    private var credentials: [String?] { sent.recorded.map { $0.header[.authorization] } }

    @Test("is sent, and nothing else happens, while it is accepted")
    func accepted() async throws {
        try await client(accepting: "old", store(AccessToken("old"))).send(api.delete("/"))
        #expect(credentials == ["Bearer old"])
        #expect(refreshed.count == 0)
    }

    @Test("is replaced where it is not accepted, and the request is sent again")
    func refused() async throws {
        let old = AccessToken("old", refreshToken: "r")
        let tokens = store(old)
        let response = try await client(accepting: "new", tokens).response(for: api.delete("/"))
        #expect(credentials == ["Bearer old", "Bearer new"])
        #expect(refreshed.recorded == [old])
        #expect(tokens.token == AccessToken("new"))
        #expect(response.history.map(\.statusCode) == [401])
    }

    @Test("is asked for before the first request where there is none, and where it has expired")
    func beforehand() async throws {
        for (token, isRefreshed) in [
            (nil, true), (AccessToken("new", expires: Date(timeIntervalSince1970: 1000)), true),
            (AccessToken("new", expires: Date(timeIntervalSince1970: 1001)), false),
        ] {
            let before = refreshed.count
            try await client(accepting: "new", store(token) { _ in AccessToken("new", expires: .distantFuture) })
                .send(api.delete("/"))
            #expect(refreshed.count - before == (isRefreshed ? 1 : 0))
        }
        #expect(sent.count == 3)
    }

    @Test("a server that refuses the new token, too, is believed")
    func refusedTwice() async throws {
        let client = client(accepting: "another", store(AccessToken("old")))
        #expect(try await client.stream(api.delete("/")).head.statusCode == 401)
        #expect(credentials == ["Bearer old", "Bearer new"])
        #expect(refreshed.count == 1)
    }

    @Test("1000 concurrent requests refresh it once, and all succeed")
    func singleFlight() async throws {
        let tokens = store(AccessToken("old")) { _ in
            for _ in 0..<100 { await Task.yield() }
            return AccessToken("new")
        }
        let client = client(accepting: "new", tokens)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1000 { group.addTask { try await client.send(api.delete("/\(number)")) } }
            try await group.waitForAll()
        }
        #expect(refreshed.count == 1)
        #expect(credentials.filter { $0 == "Bearer new" }.count == 1000)
    }

    @Test("a 401 for a token that was replaced since is sent again without another refresh")
    func staleToken() async throws {
        let tokens = store(AccessToken("old"))
        let transport = StubTransport { [sent] request in
            sent.record(request)
            if request.header[.authorization] == "Bearer new" { return try .stub(200, for: request) }
            // While the answer is on its way somebody else has a new token.
            tokens.token = AccessToken("new")
            return try .stub(401, for: request)
        }
        let request = api.delete("/").authenticated(with: .refreshing(tokens))
        try await Client(transport: transport).send(request)
        #expect(credentials == ["Bearer old", "Bearer new"])
        #expect(refreshed.count == 0)
    }

    @Test("a failed refresh fails all who wait, once, and for a while all who come")
    func failure() async throws {
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let tokens = store(AccessToken("old")) { _ in
            for await _ in release.prefix(1) {}
            throw Refused()
        }
        let client = client(accepting: "new", tokens)
        let tasks = (0..<100).map { _ in Task { try await client.send(api.delete("/")) } }
        while sent.count < 100 { await Task.yield() }
        releasing.finish()
        for task in tasks {
            let error = await #expect(throws: ClientError.self) { try await task.value }
            #expect(error?.code == .refreshFailed)
            #expect(error?.underlying is Refused)
            #expect(error?.message == "the token could not be renewed (Refused); sign in again, or try later")
        }
        #expect(refreshed.count == 1)

        clock.advance(by: .milliseconds(4999))
        await #expect(throws: ClientError.self) { try await client.send(api.delete("/")) }
        #expect(refreshed.count == 1)
        clock.advance(by: .milliseconds(1))
        await #expect(throws: ClientError.self) { try await client.send(api.delete("/")) }
        #expect(refreshed.count == 2)
        tokens.token = AccessToken("new")
        try await client.send(api.delete("/"))
        #expect(refreshed.count == 2)
    }

    @Test("a new token that is set ends what is known of a failure")
    func setting() async throws {
        let tokens = store(AccessToken("old")) { _ in throw Refused() }
        let client = client(accepting: "new", tokens)
        await #expect(throws: ClientError.self) { try await client.send(api.delete("/")) }
        tokens.token = AccessToken("old")
        await #expect(throws: ClientError.self) { try await client.send(api.delete("/")) }
        #expect(refreshed.count == 2)
    }

    @Test("that is set while another is refreshed stays, and those who wait go on with it")
    func setMeanwhile() async throws {
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let tokens = store(AccessToken("old")) { _ in
            for await _ in release.prefix(1) {}
            return AccessToken("renewed")
        }
        let client = client(accepting: "other", tokens)
        let waiting = Task { try await client.send(api.delete("/")) }
        while refreshed.count < 1 { await Task.yield() }
        tokens.token = AccessToken("other")
        releasing.finish()
        try await waiting.value
        #expect(tokens.token == AccessToken("other"))
        #expect(credentials == ["Bearer old", "Bearer other"])
    }

    @Test("that is removed while it is refreshed stays removed, and those who wait fail")
    func removedMeanwhile() async throws {
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let tokens = store(AccessToken("old")) { _ in
            for await _ in release.prefix(1) {}
            return AccessToken("renewed")
        }
        let client = client(accepting: "renewed", tokens)
        let waiting = Task { try await client.send(api.delete("/")) }
        while refreshed.count < 1 { await Task.yield() }
        tokens.token = nil
        releasing.finish()
        let error = await #expect(throws: ClientError.self) { try await waiting.value }
        #expect(error?.code == .refreshFailed)
        #expect(error?.message == "the token was removed while it was renewed; sign in again")
        #expect(tokens.token == nil)
    }

    @Test("that is set, or removed, ends the waits for a refresh that hangs", arguments: ["other", nil])
    func setWhileHanging(value: String?) async throws {
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let tokens = store(AccessToken("old")) { _ in
            for await _ in release.prefix(1) {}
            return AccessToken("renewed")
        }
        let client = client(accepting: "other", tokens)
        let waiting = Task { await client.result(of: api.delete("/")) }
        while refreshed.count < 1 { await Task.yield() }
        tokens.token = value.map { AccessToken($0) }
        switch await waiting.value {
        case .success: #expect(value != nil)
        case .failure(let error): #expect(value == nil && (error as? ClientError)?.code == .refreshFailed)
        }
        releasing.finish()
    }

    @Test("that was set meanwhile is refreshed for itself, without waiting for the other refresh")
    func refreshedForItself() async throws {
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let tokens = store(AccessToken("old")) { old in
            if old?.value == "old" { for await _ in release.prefix(1) {} }
            return AccessToken("new of \(old?.value ?? "none")")
        }
        let client = client(accepting: "new of other", tokens)
        let first = Task { try await client.send(api.delete("/1")) }
        while refreshed.count < 1 { await Task.yield() }
        tokens.token = AccessToken("other")
        try await client.send(api.delete("/2"))
        releasing.finish()
        try await first.value
        #expect(refreshed.recorded == [AccessToken("old"), AccessToken("other")])
        #expect(tokens.token == AccessToken("new of other"))
    }

    @Test("one who stops waiting is cancelled at once; the others are not, and nor is the refresh")
    func cancelled() async throws {
        let (release, releasing) = AsyncStream.makeStream(of: Void.self)
        let tokens = store(AccessToken("old")) { _ in
            for await _ in release.prefix(1) {}
            try Task.checkCancellation()
            return AccessToken("new")
        }
        let client = client(accepting: "new", tokens)
        let first = Task { try await client.send(api.delete("/1")) }
        while refreshed.count < 1 { await Task.yield() }
        let second = Task { try await client.send(api.delete("/2")) }
        while sent.count < 2 { await Task.yield() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        releasing.finish()
        try await second.value
        #expect(refreshed.count == 1)
        #expect(tokens.token == AccessToken("new"))
    }

    @Test("one who was cancelled before waiting does not wait")
    func cancelledBefore() async throws {
        let tokens = store(nil)
        let client = client(accepting: "new", tokens)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await client.send(api.delete("/"))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(refreshed.count == 0)
    }

    @Test("the requests that refresh it are sent by the same client without it, and a 401 of theirs is their own")
    func ownRequests() async throws {
        let shared = Guarded<Client?>(nil)
        let tokens = store(AccessToken("old")) { [api] _ in
            let client = try #require(shared.withLock { $0 })
            try await client.send(api.get(.none, from: "/token"))
            return AccessToken("new")
        }
        let client = client(accepting: "new", tokens)
        shared.withLock { $0 = client }
        let error = await #expect(throws: ClientError.self) { try await client.send(api.delete("/")) }
        #expect((error?.underlying as? ResponseError)?.code == .status)
        #expect(sent.recorded.map(\.url.path) == ["/", "/token"])
        #expect(credentials == ["Bearer old", nil])
        #expect(refreshed.count == 1)
    }

    @Test("can be sent in any form")
    func ownForm() async throws {
        let tokens = store(AccessToken("old"))
        let transport = StubTransport { [sent] request in
            sent.record(request)
            return try .stub(request.header["X-Key"] == "new" ? 200 : 401, for: request)
        }
        let provider = AuthenticationProvider.refreshing(tokens) { token, header in
            header.set(Field(name: "X-Key", value: token.value).sensitive())
        }
        try await Client(transport: transport).send(api.delete("/").authenticated(with: provider))
        #expect(sent.recorded.map { $0.header[values: "X-Key"] } == [["old"], ["new"]])
    }

    @Test("is saved and loaded, and shown nowhere")
    func token() throws {
        let token = AccessToken("s3cret", refreshToken: "s3cret", expires: Date(timeIntervalSince1970: 5))
        let loaded = try JSONDecoder().decode(AccessToken.self, from: JSONEncoder().encode(token))
        #expect(loaded == token)
        var dumped = ""
        dump(token, to: &dumped)
        dump(store(token), to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] { #expect(!text.contains("s3cret")) }
    }
}
