import RequestsConformance
import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Credentials and cookies of a call", .timeLimit(.minutes(5)))
struct CallCredentialsTests {
    private typealias Reply = ScriptedTransport.Reply

    private struct Broken: Error {}

    private let api = BaseURL("https://a.example")
    private let store = CookieStore()

    init() throws {
        try keep("s=a", "own=stored", from: "https://a.example/")
        try keep("s=b", from: "https://b.example/")
    }

    private func keep(_ cookies: String..., from url: String) throws {
        let url = try RequestURL(url)
        store.update { jar in
            for cookie in cookies {
                jar.store([Field(name: .setCookie, value: cookie)], from: url, at: Date(timeIntervalSince1970: 0))
            }
        }
    }

    /// Sends `GET /` over a client with stored cookies for two origins.
    ///
    /// - Parameter own: The request's own `Cookie` field.
    @discardableResult
    private func run(
        _ script: [Reply],
        own: String? = nil,
        _ provider: AuthenticationProvider = .none,
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) async -> (transport: ScriptedTransport, error: (any Error)?) {
        let transport = ScriptedTransport(script)
        let client = transport.client {
            $0.cookies = store
            $0.retries = .fixed(.seconds(1), limit: 2)
            configure(&$0)
        }
        var request = api.get(.none, from: "/").authenticated(with: provider)
        if let own { request.header.set(Field(name: .cookie, value: own)) }
        return (transport, await failure { try await client.send(request) })
    }

    /// A provider that moves the request for `/` to another URL, with or without a flow.
    private func moving(
        to url: String = "https://b.example/moved?key=1",
        cookie: String? = nil,
        isFlow: Bool = false
    ) -> AuthenticationProvider {
        let move: @Sendable (inout PreparedRequest) throws -> Void = { request in
            guard request.url.path == "/" else { return }
            request.url = try RequestURL(url)
            if let cookie { request.header.set(Field(name: .cookie, value: cookie)) }
        }
        return isFlow ? .asynchronous { try move(&$0) } : .signing(move)
    }

    @Test(
        "A request's own cookies win over stored ones of the same name",
        arguments: [
            (nil, "s=a; own=stored"), ("own=1", "own=1; s=a"), ("s=1", "s=1; own=stored"),
            ("x=1;  own=2", "x=1;  own=2; s=a"),
        ] as [(String?, String)]
    )
    func ownCookies(own: String?, sent: String) async {
        let (transport, error) = await run([.status(200)], own: own)
        #expect(error == nil)
        #expect(transport.values(of: .cookie) == [sent])
    }

    @Test(
        "A request that authentication moves to another origin has only cookies of that origin",
        arguments: [nil, "own=1"],
        [false, true]
    )
    func movedCookies(own: String?, isFlow: Bool) async {
        var transport = await run([.status(200)], own: own, moving(isFlow: isFlow)).transport
        #expect(transport.urls == ["https://b.example/moved?key=1"])
        #expect(transport.values(of: .cookie) == ["s=b"])
        transport = await run([.status(200)], own: own, moving(cookie: "p=1", isFlow: isFlow)).transport
        #expect(transport.values(of: .cookie) == ["p=1"], "a cookie of the provider is for the new origin")
        transport = await run([.status(200)], own: own, moving(isFlow: isFlow)) { $0.cookies = nil }.transport
        #expect(transport.sent.map { $0.request.header.contains(.cookie) } == [false])
    }

    @Test("Cookies of responses are stored for the URL that was sent")
    func storedCookies() async throws {
        await run([.status(200, [Field(name: .setCookie, value: "s=c")])], moving())
        let cookies = [("https://a.example/", "s=a; own=stored"), ("https://b.example/", "s=c")]
        for (url, expected) in cookies {
            let url = try RequestURL(url)
            var jar = store.jar
            #expect(jar.field(for: url, at: Date(timeIntervalSince1970: 0)) == expected)
        }
    }

    @Test("Every attempt has the cookies that are stored when it begins")
    func cookiesOfAttempts() async {
        let removal: Header = [
            Field(name: .setCookie, value: "s=; Max-Age=0"), Field(name: .setCookie, value: "own=; Max-Age=0"),
        ]
        let changes: [Header] = [[Field(name: .setCookie, value: "s=c")], removal]
        let (transport, error) = await run(changes.map { .status(503, $0) } + [.status(200)])
        #expect(error == nil)
        // A cookie that is set again keeps its place.
        #expect(transport.values(of: .cookie) == ["s=a; own=stored", "s=c; own=stored", nil])
    }

    @Test(
        "The answer to a challenge has the cookies that the challenge leaves, but keeps a flow's own",
        arguments: [
            (nil, ["s=c"], "own=1; s=c"), (nil, ["s=; Max-Age=0", "own=; Max-Age=0"], "own=1"),
            ("f=1", ["s=c"], "f=1"),
        ] as [(String?, [String], String)]
    )
    func challengedCookies(ofFlow: String?, set: [String], expected: String) async {
        let provider = AuthenticationProvider.answering([401]) { request in
            if let ofFlow { request.header.set(Field(name: .cookie, value: ofFlow)) }
        }
        let challenge = Header(set.map { Field(name: .setCookie, value: $0) })
        let (transport, error) = await run([.status(401, challenge), .status(200)], own: "own=1", provider)
        #expect(error == nil)
        #expect(transport.values(of: .cookie) == [ofFlow ?? "own=1; s=a", expected])
        #expect(transport.values(of: .authorization) == ["1", "2"])
    }

    @Test(
        "A redirect is relative to the URL that was sent, without what authentication added to the query",
        arguments: [
            ("https://b.example/moved?key=1", "next", "https://b.example/next"),
            ("https://a.example/?key=1", "", "https://a.example/"),
            ("https://a.example/folder/file", "next", "https://a.example/folder/next"),
        ]
    )
    func movedRedirect(url: String, location: String, next: String) async {
        for isFlow in [false, true] {
            let asked = Recorder<Void>()
            let move: @Sendable (inout PreparedRequest) throws -> Void = { request in
                asked.record()
                if asked.count == 1 { request.url = try RequestURL(url) }
            }
            let provider = isFlow ? AuthenticationProvider.asynchronous { try move(&$0) } : .signing(move)
            let (transport, error) = await run([.redirect(to: location), .status(200)], provider)
            #expect(error == nil)
            #expect(transport.urls == [url, next])
        }
    }

    @Test(
        "A retry begins with the original request, wherever authentication moved it",
        arguments: ["https://a.example/moved?key=1", "https://b.example/moved?key=1"],
        [
            Named("a status", Reply.status(503)), Named("a broken body", .broken()), Named("no connection", .refused),
        ]
    )
    func movedRetry(url: String, first: Named<ScriptedTransport.Reply>) async {
        let asked = Recorder<String>()
        let provider = AuthenticationProvider.signing { request in
            asked.record(request.url.text)
            request.url = try RequestURL(url)
        }
        let (transport, error) = await run([first.value, .status(200)], provider)
        #expect(error == nil)
        #expect(asked.recorded == ["https://a.example/", "https://a.example/"])
        #expect(transport.urls == [url, url])
        #expect(Set(transport.values(of: .cookie)) == [url.contains("b.example") ? "s=b" : "s=a; own=stored"])
        #expect(transport.clock.waits == [.seconds(1)])
    }

    @Test("A flow isn't asked after a redirect to another origin, even when a later one leads back")
    func away() async {
        let script: [Reply] = [
            .redirect(to: "https://b.example/"), .redirect(to: "https://a.example/"), .status(401), .status(200),
        ]
        let (transport, error) = await run(script, .answering([401]))
        #expect(errorCode(error) == "401")
        #expect(transport.urls == ["https://a.example/", "https://b.example/", "https://a.example/"])
        #expect(transport.values(of: .authorization) == ["1", nil, nil])
    }

    @Test("A provider that fails or builds an invalid request sends nothing")
    func invalid() async {
        let failing = await run([.status(200)], .signing { _ in throw Broken() })
        #expect(failing.error is Broken)
        let invalid = await run([.status(200)], .signing { $0.header.set(Field(name: "X", value: "a\r\nb")) })
        #expect(errorCode(invalid.error) == "invalidFieldValue")
        let flow = await run([.status(200)], .asynchronous { _ in throw Broken() })
        #expect(flow.error is Broken)
        let invalidFlow = await run([.status(200)], .asynchronous { $0.method = "a b" })
        #expect(errorCode(invalidFlow.error) == "invalidMethod")
        for (transport, _) in [failing, invalid, flow, invalidFlow] {
            #expect(transport.sent.isEmpty)
            #expect(transport.clock.waits == [])
        }
    }

    @Test("A condition can retry a flow that fails")
    func retriedFlow() async {
        let starts = Recorder<Void>()
        let provider = AuthenticationProvider.asynchronous { _ in
            starts.record()
            if starts.count == 1 { throw Broken() }
        }
        let (transport, error) = await run([.status(200)], provider) {
            $0.retries = .fixed(.seconds(1), limit: 2).retrying { outcome, _ in
                if case .failure(let error) = outcome { error is Broken } else { false }
            }
        }
        #expect(error == nil)
        #expect(starts.count == 2)
        #expect(transport.clock.waits == [.seconds(1)])
        #expect(transport.sent.count == 1)
    }

    @Test(
        "A flow repeats a request after 401, and after other statuses only if that is safe",
        arguments: [(HTTPMethod.post, 401, true), (.post, 403, false), (.get, 403, true)]
    )
    func repetition(method: HTTPMethod, status: Int, isRepeated: Bool) async throws {
        let transport = ScriptedTransport([.status(status), .status(200)])
        let client = transport.client { $0.authenticate("https://a.example", with: .answering([401, 403])) }
        let request = try PreparedRequest(method: method, url: RequestURL("https://a.example/"))
        let error = await failure { _ = try await client.send(request) }
        #expect(errorCode(error) == (isRepeated ? nil : "\(status)"))
        #expect(transport.values(of: .authorization) == (isRepeated ? ["1", "2"] : ["1"]))
    }

    @Test("A flow sends at most five requests in an attempt")
    func roundTrips() async throws {
        let transport = ScriptedTransport { _ in .status(401) }
        let client = transport.client {
            $0.retries = .fixed(.seconds(1), limit: 1)
            $0.retries?.statuses = [401]
        }
        let answers = Recorder<Void>()
        let provider = AuthenticationProvider.answering([401]) { _ in answers.record() }
        let response = try await client.stream(api.get(.none, from: "/").authenticated(with: provider))
        #expect(response.head.statusCode == 401)
        // It isn't asked for a request that isn't sent.
        #expect(answers.count == 10)
        #expect(response.history.map(\.statusCode) == [401, 401, 401, 401])
        let attempt = ["1", "2", "3", "4", "5"]
        #expect(transport.values(of: .authorization) == attempt + attempt)
        #expect(transport.sent.map(\.attempt) == [1, 1, 1, 1, 1, 2, 2, 2, 2, 2])
        #expect(transport.clock.waits == [.seconds(1)])
    }

    @Test("A flow sends no body twice that can be read only once")
    func oneShotBody() async throws {
        let transport = ScriptedTransport([.status(401), .status(200)])
        let client = transport.client { $0.authenticate("https://a.example", with: .answering([401])) }
        let body = RequestBody.oneShot(Data("x".utf8))
        let request = try PreparedRequest(method: .put, url: RequestURL("https://a.example/"), body: body)
        let error = await failure { _ = try await client.send(request) }
        #expect(errorCode(error) == "bodyNotReplayable")
        #expect((error as? ClientError)?.history.map(\.statusCode) == [401])
        #expect(transport.sent.map(\.body) == [Data("x".utf8)])
    }

    @Test("Each attempt decides by itself whether a flow may repeat its request")
    func attempts() async throws {
        let transport = ScriptedTransport([.status(403), .status(401), .status(200)])
        let client = transport.client {
            $0.authenticate("https://a.example", with: .answering([401, 403]))
            $0.retries = .fixed(.seconds(1), limit: 2).retrying { outcome, _ in
                if case .response(let head) = outcome { head.statusCode == 403 } else { false }
            }
        }
        let request = try PreparedRequest(method: .post, url: RequestURL("https://a.example/"))
        #expect(await failure { _ = try await client.send(request) } == nil)
        #expect(transport.values(of: .authorization) == ["1", "1", "2"])
        #expect(transport.sent.map(\.attempt) == [1, 2, 2])
        #expect(transport.clock.waits == [.seconds(1)])
    }
}
