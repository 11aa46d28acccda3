import RequestsCache
import RequestsTesting
import Testing

@Suite("Identities", .timeLimit(.minutes(5)))
struct IdentityTests {
    static let directives = ["max-age=60", "public", "no-cache", "must-revalidate", "immutable", "stale-if-error=60"]
    static let credentials: [(Field, Field)] = [
        (.authorization("Bearer a"), .authorization("Bearer b")), (.cookie(["id": "a"]), .cookie(["id": "b"])),
        (Field(name: "X-API-Key", value: "a"), Field(name: "X-API-Key", value: "b")),
        (Field(name: "X-Own", value: "a").sensitive(), Field(name: "X-Own", value: "b").sensitive()),
    ]

    @Test(
        "Two users of one store never get each other's response, whatever the directives",
        arguments: credentials.indices
    )
    func users(index: Int) async throws {
        let (first, second) = Self.credentials[index]
        for mask in 0..<(1 << Self.directives.count) {
            let control = Self.directives.indices.filter { mask >> $0 & 1 == 1 }.map { Self.directives[$0] }
            let bench = CacheBench()
            bench.respond { request, _ in
                let body = request.header.map(\.value).joined()
                return .reply(
                    200,
                    header: [.cacheControl: control.joined(separator: ", "), "ETag": "\"a\""],
                    text: body
                )
            }
            for _ in 0..<2 {
                for field in [first, second, nil] {
                    let header = field.map { Header($0) } ?? []
                    let response = try await bench.send(header: header, policy: .returnCacheDataElseLoad)
                    #expect(response.content == Data((field?.value ?? "").utf8))
                }
            }
            #expect(bench.requests.count == 3)
        }
    }

    @Test("Clients with the same credentials share a response")
    func sameUser() async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60"]))
        for _ in 0..<2 { try await bench.send(header: [.authorization: "Bearer a"]) }
        #expect(bench.requests.count == 1)
    }

    @Test("With digest authentication, the second call is a hit")
    func digest() async throws {
        let bench = CacheBench()
        bench.respond { request, _ in
            request.header.contains(.authorization)
                ? .reply(200, header: [.cacheControl: "max-age=60", "Vary": "Authorization"], text: "body")
                : .reply(
                    401,
                    header: [
                        .wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth""#, .cacheControl: "max-age=60",
                    ]
                )
        }
        let client = bench.client {
            $0.authenticate("https://example.com", with: .digest(username: "ada", password: "secret"))
        }
        for kind in [CacheStatus.Kind.miss, .hit, .hit] {
            let response = try await client.response(for: CacheBench.request())
            #expect(response.head.cacheStatus?.kind == kind)
            #expect(response.content == Data("body".utf8))
        }
        #expect(bench.requests.count == 2)
        let other = bench.client {
            $0.authenticate("https://example.com", with: .digest(username: "ada", password: "wrong"))
        }
        #expect(try await other.response(for: CacheBench.request()).head.cacheStatus?.kind == .miss)
    }

    static let providers: [(name: String, make: @Sendable (String) -> AuthenticationProvider)] = [
        ("bearer", { .bearerToken($0) }), ("basic", { .basicAuth(username: "u", password: $0) }),
        ("user", { .basicAuth(username: $0, password: "p") }), ("digest", { .digest(username: "u", password: $0) }),
        ("either", { .basicOrDigest(username: $0, password: "p") }), ("header", { .apiKey($0, inHeader: "X-Key") }),
        ("query", { .apiKey($0, inQuery: "k") }),
        ("combined", { .combined(.apiKey("k", inHeader: "X-Key"), .bearerToken($0)) }),
        (
            "tokens",
            { secret in
                let tokens = TokenStore(AccessToken(secret), identity: "name of \(secret)") { _ in AccessToken("new") }
                return .refreshing(tokens)
            }
        ),
        (
            "own",
            { secret in
                var provider = AuthenticationProvider.signing { $0.header.set(.authorization(secret)) }
                provider.identity = secret
                return provider
            }
        ),
    ]

    @Test("Each user of a provider gets only the own response, and finds it again", arguments: providers.indices)
    func users(of index: Int) async throws {
        let bench = CacheBench()
        bench.respond { _, number in .reply(200, header: [.cacheControl: "max-age=60"], text: "\(number)") }
        func get(_ provider: AuthenticationProvider?) async throws -> Response<Data> {
            let client = bench.client { if let provider { $0.authenticate("https://example.com", with: provider) } }
            return try await client.response(for: CacheBench.request())
        }
        let make = Self.providers[index].make
        for (provider, other) in [(make("a"), make("b")), (make("a:b"), make("a")), (make("a\n1"), make("a"))] {
            guard (try? await get(provider)) != nil else { continue }
            try await bench.cache.removeResponses()
            let own = try await get(provider).content
            #expect(try await get(provider).content == own)
            #expect(try await get(other).content != own)
            #expect(try await get(nil).content != own)
            #expect(try await get(provider).head.cacheStatus?.kind == .hit)
        }
    }

    @Test("Nothing is cached for a provider without an identity, also in a combination", arguments: [true, false])
    func unknownUser(isCombined: Bool) async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60"]))
        let own = AuthenticationProvider { $0.set(Field(name: "X-Session", value: "s")) }
        let provider = isCombined ? AuthenticationProvider.combined(.bearerToken("t"), own) : own
        let client = bench.client { $0.authenticate("https://example.com", with: provider) }
        for _ in 0..<2 { _ = try await client.send(CacheBench.request()) }
        #expect(bench.requests.count == 2)
        #expect(try await bench.cache.responses().isEmpty)
    }

    @Test("A stored response needs no token, survives a refresh, and isn't another user's")
    func tokens() async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60"], text: "body"), .failure(.cannotConnect))
        let refreshes = Locked(0)
        let tokens = TokenStore(AccessToken("old", expires: CacheBench.start + 5), date: { bench.date }) { _ in
            refreshes.withLock { $0 += 1 }
            throw TransportError(code: .cannotConnect, message: "", phase: .connecting)
        }
        let client = bench.client { $0.authenticate("https://example.com", with: .refreshing(tokens)) }
        _ = try await client.send(CacheBench.request())
        bench.pass(10)
        let policies: [CachePolicy?] = [nil, .returnCacheDataDontLoad]
        for policy in policies {
            let response = try await client.response(for: CacheBench.request(policy: policy))
            #expect(response.head.cacheStatus?.kind == .hit)
        }
        #expect(refreshes.withLock { $0 } == 0)
        tokens.token = AccessToken("another user's")
        await #expect(throws: (any Error).self) { try await client.send(CacheBench.request()) }
    }

    @Test(
        "A prepared request keeps the identity of its provider, and isn't cached without one",
        arguments: [true, false]
    )
    func prepared(hasIdentity: Bool) async throws {
        let bench = CacheBench()
        bench.respond { request, _ in
            .reply(200, header: [.cacheControl: "max-age=60"], text: request.header["X-User"] ?? "")
        }
        for user in ["ada", "bob", "ada"] {
            var provider = AuthenticationProvider { $0.set(Field(name: "X-User", value: user)) }
            if hasIdentity { provider.identity = user }
            let request = BaseURL("https://example.com").get(.data, from: "/").authenticated(with: provider)
            #expect(try await bench.client().send(request.prepared()) == Data(user.utf8))
        }
        #expect(bench.requests.count == (hasIdentity ? 2 : 3))
    }

    @Test("A response that was stored for a new token isn't the last resort of a request with the old one")
    func lastResort() async throws {
        let cache = HTTPCache(.memory(bytes: 1 << 20))
        let tokens = TokenStore(AccessToken("a")) { _ in AccessToken("c") }
        var configuration = Client.Configuration()
        configuration.cache = cache
        configuration.authenticate("https://example.com", with: .refreshing(tokens))
        let header: Header = [.cacheControl: "max-age=0, stale-if-error=60"]
        let storing = Client(
            transport: StubTransport { try .stub(200, header: header, for: $0) },
            configuration: configuration
        )
        let failing = StubTransport { request in
            tokens.token = AccessToken("b")
            _ = try await storing.send(CacheBench.request())
            throw TransportError(code: .closed, message: "closed", phase: .receiving)
        }
        let client = Client(transport: failing, configuration: configuration)
        await #expect(throws: TransportError.self) { try await client.send(CacheBench.request()) }
        #expect(try await cache.responses().count == 1)
    }

    @Test("Caches over one store share nothing if their partitions differ")
    func partitions() async throws {
        let store = HTTPCache.MemoryStore.memory(bytes: 1 << 20)
        let transport = StubTransport { try .stub(200, header: [.cacheControl: "max-age=60"], for: $0) }
        for (partition, kind) in [("a", CacheStatus.Kind.miss), ("b", .miss), ("a", .hit)] {
            var client = Client(transport: transport)
            client.configuration.cache = HTTPCache(store, partition: partition)
            #expect(try await client.response(for: CacheBench.request()).head.cacheStatus?.kind == kind)
        }
    }

    @Test("A signature's identity doesn't stand for a bearer token beside it")
    func combined() async throws {
        let bench = CacheBench()
        bench.respond { request, _ in
            .reply(
                200,
                header: [.cacheControl: "max-age=60", "Vary": "Authorization"],
                text: request.header[.authorization] ?? ""
            )
        }
        for token in ["ada", "bob", "ada"] {
            var signature = AuthenticationProvider.signing { $0.header.set(Field(name: "Signature", value: token)) }
            signature.identity = "app"
            let provider = AuthenticationProvider.combined(signature, .bearerToken(token))
            let client = bench.client { $0.authenticate("https://example.com", with: provider) }
            let body = try await client.response(for: CacheBench.request()).content
            #expect(String(decoding: body, as: UTF8.self) == "Bearer \(token)")
        }
        #expect(bench.requests.count == 2)
    }

    @Test("A hit renews no nonce, although the stored response announced one")
    func nonce() async throws {
        let bench = CacheBench()
        bench.respond { request, number in
            request.header.contains(.authorization)
                ? .reply(200, header: [.cacheControl: "max-age=60", "Authentication-Info": "nextnonce=\"n\(number)\""])
                : .reply(401, header: [.wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth""#])
        }
        let client = bench.client {
            $0.authenticate("https://example.com", with: .digest(username: "ada", password: "secret"))
        }
        for path in ["a", "b", "a", "c"] {
            _ = try await client.send(CacheBench.request(.get, "https://example.com/\(path)"))
        }
        #expect(bench.requests.count == 4)
        #expect(bench.requests.last?.header[.authorization]?.contains(" nonce=\"n3\"") == true)
    }

    @Test("A stored response sets no cookies, a confirmed one does")
    func cookies() async throws {
        let bench = CacheBench()
        let cookie = { (number: Int) -> Header in
            [.cacheControl: "max-age=60", "ETag": "\"a\"", .setCookie: "id=\(number)"]
        }
        bench.respond(.reply(200, header: cookie(1)), .reply(304, header: cookie(2)))
        let cookies = CookieStore()
        let client = bench.client { $0.cookies = cookies }
        // With its own cookie the request is the same whatever is stored.
        let own: Header = [.cookie: "id=own"]
        _ = try await client.send(CacheBench.request(header: own))
        #expect(cookies.jar.cookies.map(\.value) == ["1"])
        cookies.update { $0.removeAll() }
        #expect(try await client.response(for: CacheBench.request(header: own)).head.cacheStatus?.kind == .hit)
        #expect(cookies.jar.isEmpty)
        _ = try await client.send(CacheBench.request(header: own, policy: .reloadRevalidatingCacheData))
        #expect(cookies.jar.cookies.map(\.value) == ["2"])
    }

    @Test("Each redirect is stored by itself")
    func redirects() async throws {
        let bench = CacheBench()
        bench.respond { request, _ in
            request.url.path == "/a"
                ? .reply(301, header: [.cacheControl: "max-age=60", .location: "/b"])
                : .reply(200, header: [.cacheControl: "max-age=5"], text: "b")
        }
        for _ in 0..<2 {
            #expect(try await bench.send().content == Data("b".utf8))
            bench.pass(10)
        }
        #expect(bench.requests.map(\.url.path) == ["/a", "/b", "/b"])
    }

    @Test("A retry is an attempt of its own, and only its good response is stored")
    func retries() async throws {
        let bench = CacheBench()
        bench.respond(.reply(503), .reply(200, header: [.cacheControl: "max-age=60"], text: "body"))
        let client = bench.client {
            $0.retries = .fixed(.zero, limit: 1)
            $0.clock = TestClock(isImmediate: true)
        }
        for _ in 0..<2 { #expect(try await client.send(CacheBench.request()) == Data("body".utf8)) }
        #expect(bench.requests.count == 2)
    }
}
