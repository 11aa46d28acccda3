import RequestsTesting
import Testing

@Suite("Cookies of a client", .timeLimit(.minutes(5)))
struct ClientCookiesTests {
    private let api = BaseURL("https://a.example")
    private let sent = Recorder<PreparedRequest>()
    private let store = CookieStore()

    private func client(
        configure: (inout Client.Configuration) -> Void = { _ in },
        response: @escaping @Sendable (PreparedRequest) -> (Int, Header)
    ) -> Client {
        var configuration = Client.Configuration()
        configuration.cookies = store
        configuration.clock = TestClock(isImmediate: true)
        configure(&configuration)
        let transport = StubTransport { [sent] request in
            sent.record(request)
            let (status, header) = response(request)
            return try .stub(status, header: header, for: request)
        }
        return Client(transport: transport, configuration: configuration)
    }

    private func keep(_ cookie: String, from url: String) throws {
        let url = try RequestURL(url)
        store.update { $0.store([Field(name: .setCookie, value: cookie)], from: url, at: Date()) }
    }

    private var cookies: [String?] { sent.recorded.map { $0.header[.cookie] } }

    @Test("A client sends back the cookies that a server set, and clients can share a store")
    func shared() async throws {
        let response: @Sendable (PreparedRequest) -> (Int, Header) = { _ in
            (200, [Field(name: .setCookie, value: "a=b")])
        }
        try await client(response: response).send(api.delete("/"))
        try await client(response: response).send(api.delete("/"))
        try await client(response: response).send(BaseURL("https://b.example").delete("/"))
        #expect(cookies == [nil, "a=b", nil])
    }

    @Test("Cookies of redirects, retried responses and challenges are stored for the next exchange")
    func everyExchange() async throws {
        let client = client {
            $0.retries = .fixed(.zero)
        } response: { [sent] _ in
            let cookie = Field(name: .setCookie, value: "c\(sent.count)=\(sent.count); Path=/")
            return switch sent.count {
            case 1: (302, [cookie, Field(name: .location, value: "/2")])
            case 2: (503, [cookie])
            case 3: (401, [cookie])
            default: (200, [])
            }
        }
        try await client.send(api.get(.none, from: "/1").authenticated(with: .answering([401])))
        #expect(cookies == [nil, "c1=1", "c1=1; c2=2", "c1=1; c2=2; c3=3"])
    }

    @Test("A challenge replaces the stored cookies, but not those that authentication has added to them")
    func flowsCookie() async throws {
        try keep("a=1", from: "https://a.example/")
        let client = client { [sent] _ in
            sent.count < 3 ? (401, [Field(name: .setCookie, value: "b=\(sent.count)")]) : (200, [])
        }
        let provider = AuthenticationProvider.answering([401]) { request in
            guard let cookie = request.header[.cookie], !cookie.contains("f=1") else { return }
            request.header.set(Field(name: .cookie, value: "\(cookie); f=1"))
        }
        try await client.send(api.get(.none, from: "/").authenticated(with: provider))
        #expect(cookies == ["a=1; f=1", "f=1; a=1; b=1", "f=1; a=1; b=2"])
    }

    @Test("A redirect to another site gets only that site's cookies")
    func otherSite() async throws {
        let client = client { request in
            request.url.host == "a.example"
                ? (302, [Field(name: .location, value: "https://b.example/"), Field(name: .setCookie, value: "a=1")])
                : (200, [Field(name: .setCookie, value: "b=2")])
        }
        for _ in 0..<2 {
            try await client.send(api.get(.none, from: "/").adding(headerField: Field(name: .cookie, value: "own=1")))
        }
        #expect(cookies == ["own=1", nil, "own=1; a=1", "b=2"])
    }

    @Test("The date comes from the configuration")
    func date() async throws {
        let now = Locked(Date(timeIntervalSince1970: 0))
        let client = client {
            $0.date = { now.withLock { $0 } }
        } response: { [sent] _ in
            (200, sent.count == 1 ? [Field(name: .setCookie, value: "a=b; Max-Age=10")] : [])
        }
        for second in [0.0, 9, 10] {
            now.withLock { $0 = Date(timeIntervalSince1970: second) }
            try await client.send(api.delete("/"))
        }
        #expect(cookies == [nil, "a=b", nil])
    }

    @Test("The jar of a store can be replaced and changed")
    func jar() async throws {
        try await client { _ in (200, [Field(name: .setCookie, value: "a=b")]) }.send(api.delete("/"))
        let saved = store.jar
        store.update { $0.removeAll() }
        #expect(store.jar.isEmpty)
        store.update { $0 = saved }
        #expect(store.jar.cookies.map(\.name) == ["a"])
    }

    @Test("A cookie that can't be sent stays an error when stored cookies are added to it")
    func defectSurvives() async throws {
        try keep("a=b", from: "https://a.example/")
        let client = client { _ in (200, []) }
        let request = api.delete("/").adding(headerField: .cookie(["theme": "x; admin=1"]))
        let error = await #expect(throws: RequestError.self) { try await client.send(request) }
        #expect(error?.code == .invalidFieldValue)
        #expect(sent.count == 0)
    }

    @Test("A request that can't be built is an error before middleware sees it")
    func validatedFirst() async throws {
        let client = client {
            $0.middleware = [Interception.changing { $0.header = [] }]
        } response: { _ in
            (200, [])
        }
        let request = api.delete("/").adding(headerField: Field(name: "X", value: "a\r\nb"))
        await #expect(throws: RequestError.self) { try await client.send(request) }
        #expect(sent.count == 0)
    }
}
