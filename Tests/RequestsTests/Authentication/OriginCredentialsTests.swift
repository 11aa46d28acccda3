import RequestsTesting
import Testing

@Suite("Credentials of an origin", .timeLimit(.minutes(5)))
struct OriginCredentialsTests {
    private let stub = StubTransport { try .stub(200, for: $0) }

    private func client(_ configure: (inout Client.Configuration) -> Void) -> Client {
        var configuration = Client.Configuration()
        configure(&configuration)
        return Client(transport: stub, configuration: configuration)
    }

    private var sent: [String?] { stub.requests.map { $0.header[.authorization] } }

    @Test(
        "Each origin gets its own credentials, and every other origin none",
        arguments: [
            ("https://a.example/x", "Bearer a"), ("https://A.example:443/x", "Bearer a"),
            ("https://b.example/", "Bearer b"), ("https://a.example:8443/", nil), ("http://a.example/", nil),
            ("https://aa.example/", nil), ("https://x.a.example/", nil), ("https://a.example.evil.test/", nil),
            ("https://one.c.example/", "Bearer c"), ("https://one.two.c.example/", "Bearer c"),
            ("https://c.example/", nil), ("https://evilc.example/", nil), ("https://two.d.c.example/", "Bearer d"),
            ("https://exact.d.c.example/", "Bearer exact"),
        ] as [(String, String?)]
    )
    func origins(url: String, expected: String?) async throws {
        let client = client {
            $0.authenticate("https://*.c.example", with: .bearerToken("c"))
            $0.authenticate("https://a.example", with: .bearerToken("a"))
            $0.authenticate("https://exact.d.c.example", with: .bearerToken("exact"))
            $0.authenticate("https://b.example/", with: .bearerToken("b"))
            $0.authenticate("https://*.d.c.example", with: .bearerToken("d"))
        }
        _ = try await client.send(PreparedRequest(url: RequestURL(url)))
        #expect(sent == [expected])
    }

    @Test("Credentials for an IPv6 address count for all of its spellings")
    func addresses() async throws {
        let client = client { $0.authenticate("https://[0:0:0:0:0:0:0:1]", with: .bearerToken("a")) }
        try await client.send(.delete("https://[::1]/"))
        try await client.send(.delete("https://[0::0001]:443/"))
        #expect(sent == ["Bearer a", "Bearer a"])
    }

    @Test("A URL stands for its origin, because the base URL of an API can have a path and a query")
    func baseURL() async throws {
        let api = BaseURL(try #require(URL(string: "https://a.example/v1?key=1")))
        let client = client { $0.authenticate(api.baseURL, with: .bearerToken("a")) }
        try await client.send(api.delete("/x"))
        #expect(stub.requests.map(\.url.text) == ["https://a.example/v1/x?key=1"])
        #expect(sent == ["Bearer a"])
    }

    @Test(
        "A URL without an origin is an error of every call that would inherit credentials",
        arguments: ["file:///tmp", "a.example", "https://u:c4nary@a.example/v1"]
    )
    func invalidURL(text: String) async throws {
        let url = try #require(URL(string: text))
        let client = client { $0.authenticate(url, with: .bearerToken("s3cret")) }
        let error = await #expect(throws: RequestError.self) { try await client.send(.delete("https://a.example/")) }
        #expect(error?.code == .invalidOrigin)
        #expect(error?.message.contains("c4nary") == false)
        #expect(stub.requests.isEmpty)
    }

    @Test("A later provider for the same origin replaces the earlier one")
    func replaced() async throws {
        let client = client {
            $0.authenticate("https://a.example", with: .bearerToken("old"))
            $0.authenticate("https://A.example", with: .bearerToken("new"))
        }
        try await client.send(.delete("https://a.example/"))
        #expect(sent == ["Bearer new"])
    }

    @Test(
        "A string that isn't an origin is an error of every call that would inherit credentials",
        arguments: [
            "api.example.com", "https://", "https://a.example/v1", "https://*", "ftp://a.example", "",
            "https://a.example#x", "https://a.example/#", "https://a.example?x", "https://a.example/?",
            "https://u:p@a.example", "https://*.a.example#x",
        ]
    )
    func invalid(origin: String) async throws {
        let client = client { $0.authenticate(origin, with: .bearerToken("s3cret")) }
        let error = await #expect(throws: RequestError.self) { try await client.send(.delete("https://a.example/")) }
        #expect(error?.code == .invalidOrigin)
        #expect(stub.requests.isEmpty)
        let request = BaseURL("https://a.example").delete("/").authenticated(with: .none)
        try await client.send(request)
        #expect(sent == [nil])
    }

    @Test("A request that middleware sends to another origin gets that origin's credentials only")
    func middleware() async throws {
        let moving = Interception { request, _, next in
            for url in ["https://b.example/", "https://c.example/"] {
                var moved = request
                moved.url = try RequestURL(url)
                _ = try await next(moved)
            }
            return try await next(request)
        }
        let client = client {
            $0.authenticate("https://a.example", with: .bearerToken("a"))
            $0.authenticate("https://b.example", with: .bearerToken("b"))
            $0.middleware = [moving]
        }
        try await client.send(.delete("https://a.example/"))
        #expect(sent == ["Bearer b", nil, "Bearer a"])
        let own = BaseURL("https://a.example").delete("/").authenticated(with: .bearerToken("own"))
        try await client.send(own)
        #expect(sent.dropFirst(3) == [nil, nil, "Bearer own"])
    }

    @Test("A prepared request isn't authenticated again, unless it inherits the client's authentication")
    func prepared() async throws {
        let client = client { $0.authenticate("https://a.example", with: .bearerToken("client")) }
        let api = BaseURL("https://a.example")
        _ = try await client.send(api.delete("/").prepared())
        _ = try await client.send(api.delete("/").authenticated(with: .none).prepared())
        _ = try await client.send(api.delete("/").authenticated(with: .bearerToken("own")).prepared())
        _ = try await client.send(api.delete("/").authenticated(with: .apiKey("k", inHeader: "X-Key")).prepared())
        #expect(sent == ["Bearer client", nil, "Bearer own", nil])
    }

    @Test("A provider that is combined with the inherited one keeps the client's authentication")
    func combinedWithInherited() async throws {
        let client = client { $0.authenticate("https://a.example", with: .bearerToken("t")) }
        let provider = AuthenticationProvider.combined(.inherited, .apiKey("k", inHeader: "X-Key"))
        try await client.send(BaseURL("https://a.example").delete("/").authenticated(with: provider))
        #expect(stub.requests.map { $0.header["X-Key"] } == ["k"])
        #expect(sent == ["Bearer t"])
    }
}
