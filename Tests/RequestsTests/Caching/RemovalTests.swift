import RequestsCache
import RequestsTesting
import Testing

@Suite("Removal and time", .timeLimit(.minutes(5)))
struct RemovalTests {
    private static let fresh: Header = [.cacheControl: "max-age=60", "Vary": "X-V"]

    @Test("Stored responses are listed and removed by the start of their URL, which ends an origin")
    func prefix() async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: Self.fresh))
        for url in ["https://a.example/1", "https://a.example/2", "https://a.example.evil/1"] {
            try await bench.send(.get, "\(url)?access_token=secret")
        }
        let urls = try await bench.cache.responses(startingWith: "https://a.example").map(\.url)
        #expect(urls.count == 2)
        #expect(!urls.joined().contains("secret"))
        #expect(try await bench.cache.size > 0)
        try await bench.cache.removeResponses(startingWith: "https://a.example/1")
        #expect(try await bench.cache.responses().count == 2)
        try await bench.cache.removeResponses(startingWith: "https://a.example")
        #expect(try await bench.cache.responses().allSatisfy { $0.url.hasPrefix("https://a.example.evil/") })
        #expect(try await bench.cache.responses().count == 1)
        try await bench.cache.removeResponses()
        #expect(try await bench.cache.responses().isEmpty)
        #expect(try await bench.cache.size == 0)
    }

    @Test("The responses of a request's URL are removed, of all users and variants")
    func request() async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: Self.fresh))
        for header: Header in [[], ["X-V": "1"], [.authorization: "Bearer a"]] {
            for path in ["a", "b"] { try await bench.send(.get, "https://example.com/\(path)", header: header) }
        }
        #expect(try await bench.cache.responses().count == 6)
        try await bench.cache.removeResponses(for: CacheBench.request())
        #expect(try await bench.cache.responses().map(\.url) == Array(repeating: "https://example.com/b", count: 3))
        // The cache is asked before authentication, which here changes the URL or waits.
        let tokens = TokenStore(AccessToken("a")) { _ in AccessToken("b") }
        for provider in [AuthenticationProvider.apiKey("k", inQuery: "key"), .refreshing(tokens)] {
            let request = BaseURL("https://example.com").get(.data, from: "/c").authenticated(with: provider)
            for kind in [CacheStatus.Kind.miss, .hit] {
                #expect(try await bench.client().response(for: request).head.cacheStatus?.kind == kind)
            }
            try await bench.cache.removeResponses(for: request)
            #expect(try await bench.cache.responses().count == 3)
        }
    }

    @Test("One user's responses are removed, also those with own cookies, and nobody else's")
    func user() async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: Self.fresh))
        let (ada, bob) = (AuthenticationProvider.bearerToken("ada"), AuthenticationProvider.bearerToken("bob"))
        for provider in [ada, bob, nil] {
            let client = bench.client { if let provider { $0.authenticate("https://example.com", with: provider) } }
            for header: Header in [[], [.cookie: "a=1"]] {
                _ = try await client.send(CacheBench.request(header: header))
            }
        }
        #expect(bench.requests.count == 6)
        try await bench.cache.removeResponses(of: ada)
        try await bench.cache.removeResponses(of: .none)
        #expect(try await bench.cache.responses().count == 4)
        let client = bench.client { $0.authenticate("https://example.com", with: bob) }
        #expect(try await client.response(for: CacheBench.request()).head.cacheStatus?.kind == .hit)
    }

    @Test("What can't be removed is named, and everything else is removed")
    func failures() async throws {
        let folder = StoreTests.Folder()
        let store = HTTPCache.DirectoryStore.directory(folder.url, bytes: 1 << 20)
        for name in ["abc.0", "acc.0", "adc.0"] { try await StoreTests.write(Data(), to: name, in: store) }
        // A folder in the place of a file can't be removed.
        let path = folder.url.appendingPathComponent("ac/acc.0")
        try FileManager.default.removeItem(at: path)
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: false)
        let error = await #expect(throws: ClientError.self) { try await HTTPCache(store).removeResponses() }
        #expect(error?.code == .notRemoved)
        #expect(error?.message.hasPrefix("1 of 3 stored responses weren't removed: ") == true)
        #expect(try store.names(startingWith: "") == ["acc.0"])
    }

    @Test("A response that was requested before a removal isn't stored after it")
    func meanwhile() async throws {
        let cache = HTTPCache(.memory(bytes: 1 << 20))
        let stub = StubTransport { request in
            try await cache.removeResponses()
            return try .stub(200, header: Self.fresh, for: request)
        }
        var client = Client(transport: stub)
        client.configuration.cache = cache
        _ = try await client.send(CacheBench.request())
        #expect(try await cache.responses().isEmpty)
    }

    /// A store that never answers.
    private struct HangingStore: CacheStore {
        let clock: TestClock
        let store = HTTPCache.MemoryStore.memory(bytes: 1 << 20)
        var size: Int64 { store.size }

        func key() -> Data { store.key() }

        func entry(_ name: String) async throws -> HTTPCache.Entry? {
            try await clock.sleep(for: .seconds(100))
            return nil
        }

        func names(startingWith prefix: String) -> [String] { [] }

        func write(_ response: HTTPCache.StoredResponse, to name: String) -> any CacheWriter {
            store.write(response, to: name)
        }

        func update(_ name: String, to response: HTTPCache.StoredResponse?) {}
    }

    @Test("The total timeout ends a call whose store doesn't answer")
    func timeout() async throws {
        let clock = TestClock()
        let stub = StubTransport { try .stub(200, for: $0) }
        var configuration = Client.Configuration()
        configuration.cache = HTTPCache(HangingStore(clock: clock))
        configuration.clock = clock
        configuration.timeouts.total = .seconds(10)
        let client = Client(transport: stub, configuration: configuration)
        let task = Task { try await client.send(CacheBench.request()) }
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(10))
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .timedOut(.total))
        #expect(error?.requestMayHaveBeenProcessed == false)
    }
}
