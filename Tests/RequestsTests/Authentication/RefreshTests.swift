import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Refreshing of tokens", .timeLimit(.minutes(5)))
struct RefreshTests {
    struct Refused: Error {}

    let api = BaseURL("https://a.example")
    let sent = Recorder<PreparedRequest>()
    let refreshed = Recorder<AccessToken?>()
    let clock = TestClock()

    /// A server that accepts one token and responds with 401 to all others.
    func client(accepting token: String, _ tokens: TokenStore) -> Client {
        var configuration = Client.Configuration()
        configuration.authenticate("https://a.example", with: .refreshing(tokens))
        let transport = StubTransport { [sent] request in
            sent.record(request)
            let isAccepted = request.header[.authorization] == "Bearer \(token)"
            return try .stub(isAccepted ? 200 : 401, for: request)
        }
        return Client(transport: transport, configuration: configuration)
    }

    func store(
        _ token: AccessToken?,
        refresh: @escaping @Sendable (AccessToken?) async throws -> AccessToken = { _ in
            AccessToken("new")
        }
    ) -> TokenStore {
        TokenStore(token, clock: clock, date: { Date(timeIntervalSince1970: 1000) }) { [refreshed] old in
            refreshed.record(old)
            return try await refresh(old)
        }
    }

    var credentials: [String?] { sent.recorded.map { $0.header[.authorization] } }

    @Test("A refreshed token is sent as it is", arguments: ["5|abcDEF", "perm:cm9vdA==.92-1", "a,b=c", "{d}"])
    func anyCharacters(token: String) async throws {
        let tokens = store(AccessToken("1|old")) { _ in AccessToken(token) }
        try await client(accepting: token, tokens).send(api.delete("/"))
        #expect(credentials == ["Bearer 1|old", "Bearer \(token)"])
    }

    @Test(
        "A call refreshes its token once, whatever comes between",
        arguments: [
            Named("a retry", [.status(401), .status(503), .status(401)]),
            Named("a failure", [.status(401), .refused, .status(401)]),
            Named("a redirect", [.status(401), .redirect(to: "/b"), .status(401)]),
            Named("a rate limit", [.status(401), .status(429), .redirect(to: "/b"), .status(503), .status(401)]),
        ] as [Named<[ScriptedTransport.Reply]>]
    )
    func once(script: Named<[ScriptedTransport.Reply]>) async throws {
        let transport = ScriptedTransport(script.value)
        let tokens = store(AccessToken("old")) { _ in AccessToken("new") }
        let client = transport.client {
            $0.retries = .fixed(.zero)
            $0.authenticate("https://a.example", with: .refreshing(tokens))
        }
        let error = await #expect(throws: ResponseError.self) { try await client.send(api.get(.none, from: "/a")) }
        #expect(error?.statusCode == 401)
        #expect(refreshed.count == 1)
        #expect(transport.values(of: .authorization).first == "Bearer old")
        #expect(transport.values(of: .authorization).dropFirst().allSatisfy { $0 == "Bearer new" })
    }

    @Test("A token that has expired when the call begins isn't refreshed again after a 401")
    func expiredAndRejected() async throws {
        let tokens = store(AccessToken("old", expires: Date(timeIntervalSince1970: 0))) { _ in
            AccessToken("new", expires: Date(timeIntervalSince1970: 0))
        }
        let transport = ScriptedTransport([.status(503), .status(401)])
        let client = transport.client {
            $0.retries = .fixed(.zero)
            $0.authenticate("https://a.example", with: .refreshing(tokens))
        }
        await #expect(throws: ResponseError.self) { try await client.send(api.get(.none, from: "/a")) }
        #expect(refreshed.count == 1)
        #expect(transport.values(of: .authorization) == ["Bearer new", "Bearer new"])
    }

    @Test("A download refreshes its token once")
    func download() async throws {
        let transport = ScriptedTransport([.status(401), .broken(200, [], "abc"), .status(401)])
        let tokens = store(AccessToken("old")) { _ in AccessToken("new") }
        let client = transport.client {
            $0.retries = .fixed(.zero)
            $0.authenticate("https://a.example", with: .refreshing(tokens))
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        await #expect(throws: ResponseError.self) {
            try await client.download(api.get(.none, from: "/a"), to: file)
        }
        #expect(refreshed.count == 1)
    }

    @Test("A task that a refresh started sends the token after the refresh has ended")
    func startedByRefresh() async throws {
        let later = Locked<Task<Void, any Error>?>(nil)
        let (clients, continuation) = AsyncStream.makeStream(of: Client.self)
        let tokens = store(nil) { [api] _ in
            let task = Task { for await client in clients { try await client.send(api.delete("/later")) } }
            later.withLock { $0 = task }
            return AccessToken("new")
        }
        let client = client(accepting: "new", tokens)
        try await client.send(api.delete("/"))
        continuation.yield(client)
        continuation.finish()
        try await later.withLock { $0 }?.value
        #expect(credentials == ["Bearer new", "Bearer new"])
    }

    @Test("A rejected token is refreshed and the request is sent again")
    func refused() async throws {
        let old = AccessToken("old", refreshToken: "r")
        let tokens = store(old)
        let response = try await client(accepting: "new", tokens).response(for: api.delete("/"))
        #expect(credentials == ["Bearer old", "Bearer new"])
        #expect(refreshed.recorded == [old])
        #expect(tokens.token == AccessToken("new"))
        #expect(response.history.map(\.statusCode) == [401])
    }

    @Test("A missing or expired token is refreshed before the first request")
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

    @Test("A 401 for a refreshed token is returned to the caller")
    func refusedTwice() async throws {
        let client = client(accepting: "another", store(AccessToken("old")))
        #expect(try await client.stream(api.delete("/")).head.statusCode == 401)
        #expect(credentials == ["Bearer old", "Bearer new"])
        #expect(refreshed.count == 1)
    }

    @Test("1000 concurrent requests cause one refresh, and all of them succeed")
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

    @Test("A 401 for an outdated token sends the request again without another refresh")
    func staleToken() async throws {
        let tokens = store(AccessToken("old"))
        let transport = StubTransport { [sent] request in
            sent.record(request)
            if request.header[.authorization] == "Bearer new" { return try .stub(200, for: request) }
            // Sets a new token while the response is on its way.
            tokens.token = AccessToken("new")
            return try .stub(401, for: request)
        }
        let request = api.delete("/").authenticated(with: .refreshing(tokens))
        try await Client(transport: transport).send(request)
        #expect(credentials == ["Bearer old", "Bearer new"])
        #expect(refreshed.count == 0)
    }

    @Test("A token that another request refreshed isn't refreshed again if the server rejects it")
    func refreshedByOther() async throws {
        let tokens = store(AccessToken("old"))
        let other = client(accepting: "none", tokens)
        let transport = StubTransport { [api, refreshed] request in
            if refreshed.count == 0 { _ = try await other.stream(api.delete("/other")) }
            return try .stub(401, for: request)
        }
        let request = api.delete("/").authenticated(with: .refreshing(tokens))
        #expect(try await Client(transport: transport).stream(request).head.statusCode == 401)
        #expect(refreshed.count == 1)
    }

    @Test("Requests of the refresh are sent without the token, and their 401 doesn't start another refresh")
    func ownRequests() async throws {
        let shared = Locked<Client?>(nil)
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

    @Test("A token can be sent in any form")
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

    @Test("A token can be saved and loaded, and isn't part of any description")
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
