import Foundation
import Requests
import RequestsClient
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
        struct Flow: AuthenticationFlow {
            var request: PreparedRequest?
            mutating func start(_ request: inout PreparedRequest) { self.request = request }
            mutating func next(after head: ResponseHead) -> AuthenticationProvider.Step {
                head.statusCode == 401 ? request.map { .sendAgain($0) } ?? .done : .done
            }
        }
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
        try await client.send(api.get(.none, from: "/1").authenticated(with: AuthenticationProvider { Flow() }))
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

    @Test("A request's own cookie stays, even if the store has removed an equal one")
    func ownCookieStays() async throws {
        try keep("a=1", from: "https://a.example/")
        let client = client { [sent] _ in
            sent.count == 1 ? (401, [Field(name: .setCookie, value: "a=; Max-Age=0")]) : (200, [])
        }
        var request = api.get(.none, from: "/").authenticated(with: .answering([401]))
        request.header.set(Field(name: .cookie, value: "a=1"))
        try await client.send(request)
        #expect(cookies == ["a=1", "a=1"])
    }

    @Test("A cookie that a challenge removes isn't sent again")
    func removed() async throws {
        let client = client { [sent] _ in
            let challenge = Field(name: .wwwAuthenticate, value: "Digest realm=r, nonce=n")
            return switch sent.count {
            case 1: (200, [Field(name: .setCookie, value: "a=1")])
            case 2: (401, [Field(name: .setCookie, value: "a=; Max-Age=0"), challenge])
            default: (200, [])
            }
        }
        try await client.send(api.delete("/"))
        try await client.send(api.delete("/").authenticated(with: .digest(username: "u", password: "p")))
        #expect(cookies == [nil, "a=1", nil])
    }

    @Test("A cookie that authentication sets is sent, also after a challenge")
    func authentication() async throws {
        let tokens = TokenStore(AccessToken("old")) { _ in AccessToken("new") }
        let client = client {
            $0.authenticate(
                "https://a.example",
                with: .refreshing(tokens) { token, header in
                    header.set(Field(name: .cookie, value: "session=\(token.value)"))
                }
            )
        } response: { [sent] request in
            let kept: Header = [Field(name: .setCookie, value: "kept=\(sent.count)")]
            return (request.header[.cookie] == "session=new" ? 200 : 401, kept)
        }
        for _ in 0..<2 { try await client.send(api.delete("/")) }
        #expect(cookies == ["session=old", "session=new", "session=new"])
    }

    @Test("A request's own cookies come first and win over stored ones of the same name")
    func own() async throws {
        let client = client { _ in
            (200, [Field(name: .setCookie, value: "a=kept"), Field(name: .setCookie, value: "b=kept")])
        }
        try await client.send(api.delete("/"))
        let cookie = Field(name: .cookie, value: "a=own; c=own")
        try await client.send(api.delete("/").adding(headerField: cookie))
        #expect(cookies == [nil, "a=own; c=own; b=kept"])
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

    @Test("Without a store, no cookies are stored or sent")
    func none() async throws {
        let client = client {
            $0.cookies = nil
        } response: { _ in
            (200, [Field(name: .setCookie, value: "a=b")])
        }
        for _ in 0..<2 { try await client.send(api.delete("/")) }
        #expect(cookies == [nil, nil])
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
        struct Cleaning: Middleware {
            func intercept(_ request: PreparedRequest, context: CallContext, next: @escaping Next) async throws
                -> Response<ResponseBody>
            {
                var request = request
                request.header = []
                return try await next(request)
            }
        }
        let client = client {
            $0.middleware = [Cleaning()]
        } response: { _ in
            (200, [])
        }
        let request = api.delete("/").adding(headerField: Field(name: "X", value: "a\r\nb"))
        await #expect(throws: RequestError.self) { try await client.send(request) }
        #expect(sent.count == 0)
    }

    @Test(
        "Cookies don't follow a request that its authentication moves to another origin",
        arguments: ["a stored cookie", "and the request's own"]
    )
    func movedByAuthentication(kind: String) async throws {
        let elsewhere = try RequestURL("https://b.example/moved/here")
        try keep("a=b", from: "https://a.example/")
        try keep("c=d", from: elsewhere.text)
        struct Moving: AuthenticationFlow {
            let url: RequestURL
            mutating func start(_ request: inout PreparedRequest) { request.url = url }
            mutating func next(after head: ResponseHead) -> AuthenticationProvider.Step { .done }
        }
        for provider in [
            AuthenticationProvider.signing { $0.url = elsewhere }, AuthenticationProvider { Moving(url: elsewhere) },
        ] {
            var request = api.delete("/").authenticated(with: provider)
            if kind == "and the request's own" { request.header.set(Field(name: .cookie, value: "own=1")) }
            try await client { _ in (200, []) }.send(request)
        }
        #expect(sent.recorded.map(\.url) == [elsewhere, elsewhere])
        #expect(cookies == ["c=d", "c=d"])
    }

    @Test("A relative redirect starts at the URL that authentication has set")
    func redirectAfterMove() async throws {
        let elsewhere = try RequestURL("https://b.example/moved/here")
        let provider = AuthenticationProvider.signing { if $0.url.path == "/" { $0.url = elsewhere } }
        let client = client { request in
            request.url == elsewhere ? (307, [Field(name: .location, value: "there")]) : (200, [])
        }
        try await client.send(api.delete("/").authenticated(with: provider))
        #expect(sent.recorded.map(\.url.text) == ["https://b.example/moved/here", "https://b.example/moved/there"])
    }
}
