import Dispatch
import RequestsTesting
import Testing

@Suite("What middleware changes", .timeLimit(.minutes(5)))
struct CallMiddlewareTests {
    private let api = BaseURL("https://a.example")

    private func client(
        _ stub: StubTransport,
        _ configure: (inout Client.Configuration) -> Void
    ) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = TestClock(isImmediate: true)
        configure(&configuration)
        return Client(transport: stub, configuration: configuration)
    }

    // MARK: Options

    @Test("The retries that call middleware sets count")
    func retries() async throws {
        let stub = StubTransport(script: [.reply(503), .reply(503), .reply(200)])
        let retrying = Interception.changing { $0.options.retries = .fixed(.zero, limit: 2) }
        let client = client(stub) { $0.middleware = [retrying] }
        try await client.send(api.delete("/"))
        #expect(stub.requests.count == 3)
    }

    @Test("The redirects that call middleware forbids aren't followed")
    func redirects() async throws {
        let stub = StubTransport(script: [.reply(302, header: [Field(name: .location, value: "/b")])])
        let client = client(stub) { $0.middleware = [Interception.changing { $0.options.redirects = .never }] }
        let error = await #expect(throws: ResponseError.self) { try await client.send(api.delete("/")) }
        #expect(error?.statusCode == 302)
    }

    @Test("The body limit that call middleware sets counts")
    func maximumBodyBytes() async throws {
        let stub = StubTransport(script: [.reply(200, text: "12345")])
        let client = client(stub) { $0.middleware = [Interception.changing { $0.options.maximumBodyBytes = 4 }] }
        let error = await #expect(throws: TransportError.self) { try await client.send(api.get(.data, from: "/")) }
        #expect(error?.code == .tooLarge)
    }

    @Test("A body limit that call middleware raises counts for the whole call")
    func raisedLimit() async throws {
        let stub = StubTransport(script: [.reply(200, text: "12345")])
        let client = client(stub) {
            $0.maximumBodyBytes = 4
            $0.middleware = [Interception.changing { $0.options.maximumBodyBytes = 5 }]
        }
        #expect(try await client.send(api.get(.data, from: "/")).count == 5)
    }

    @Test("A request that call middleware builds anew gets the call's Idempotency-Key, too")
    func rebuilt() async throws {
        let stub = StubTransport(script: [.reply(200)])
        let client = client(stub) {
            $0.isIdempotent = true
            $0.middleware = [Interception.changing { $0 = try PreparedRequest(method: .post, url: $0.url) }]
        }
        try await client.send(api.delete("/"))
        #expect(stub.requests.first?.header[.idempotencyKey] != nil)
    }

    @Test("Call middleware can turn off the attempt middleware")
    func isIntercepted() async throws {
        let stub = StubTransport(script: [.reply(200)])
        let client = client(stub) {
            $0.middleware = [Interception.changing { $0.options.isIntercepted = false }]
            $0.attemptMiddleware = [Interception.changing { $0.header.set(Field(name: "X-Attempt", value: "1")) }]
        }
        try await client.send(api.delete("/"))
        #expect(stub.requests.map { $0.header["X-Attempt"] } == [nil])
    }

    @Test("Attempt middleware sees the options that call middleware has set, over the client's")
    func contextOptions() async throws {
        let stub = StubTransport(script: [.reply(200)])
        let seen = Recorder<CallOptions>()
        let noting = Interception { request, context, next in
            seen.record(context.options)
            return try await next(request)
        }
        let client = client(stub) {
            $0.maximumBodyBytes = 9
            $0.middleware = [Interception.changing { $0.options.operation = "listUsers" }]
            $0.attemptMiddleware = [noting]
        }
        try await client.send(api.delete("/"))
        #expect(seen.recorded.map(\.operation) == ["listUsers"])
        #expect(seen.recorded.map(\.maximumBodyBytes) == [9])
    }

    @Test("The total timeout belongs to the call, and middleware doesn't change it")
    func total() async throws {
        let stub = StubTransport(script: [.reply(200)])
        let client = client(stub) {
            $0.clock = ContinuousClock()
            $0.timeouts.total = .seconds(3000)
            let changing = Interception.changing {
                $0.options.timeouts = Timeouts(idle: .seconds(500), total: .seconds(1))
            }
            $0.middleware = [changing]
        }
        try await client.send(api.delete("/"))
        #expect(stub.requests.map(\.options.timeouts.total) == [.seconds(3000)])
        #expect(stub.requests.map(\.options.timeouts.idle) == [.seconds(500)])
    }

    // MARK: Cookies

    @Test("A request without cookies sends none of the stored ones, and stores none", arguments: [true, false])
    func cookies(isOfMiddleware: Bool) async throws {
        let setCookie = Field(name: .setCookie, value: "a=1")
        let setting = StubTransport.Reply.reply(200, header: [setCookie])
        let stub = StubTransport(script: [setting, .reply(200), setting, .reply(200)])
        let store = CookieStore()
        let client = client(stub) {
            $0.cookies = store
            $0.middleware = [
                Interception.changing { if $0.url.path == "/none", isOfMiddleware { $0.options.usesCookies = false } }
            ]
        }
        var request = api.delete("/none")
        if !isOfMiddleware { request.options.usesCookies = false }
        try await client.send(request)
        #expect(store.jar.cookies.isEmpty)
        try await client.send(api.delete("/"))
        try await client.send(api.delete("/"))
        try await client.send(request.adding(headerField: Field(name: .cookie, value: "own=1")))
        #expect(stub.requests.map { $0.header[.cookie] } == [nil, nil, nil, "own=1"])
        #expect(store.jar.cookies.count == 1)
    }

    // MARK: Credentials

    @Test("An Authorization field that call middleware sets isn't replaced by the client's credentials")
    func authorization() async throws {
        let stub = StubTransport(script: [.reply(200)])
        let client = client(stub) {
            $0.authenticate("https://a.example", with: .bearerToken("client"))
            $0.middleware = [Interception.changing { $0.header.set(.authorization("Bearer middleware")) }]
        }
        try await client.send(api.delete("/"))
        #expect(stub.requests.map { $0.header[.authorization] } == ["Bearer middleware"])
    }

    @Test("A request that call middleware builds with its own authentication doesn't get the client's")
    func ownAuthentication() async throws {
        let stub = StubTransport(script: [.reply(200), .reply(200)])
        let providers: [AuthenticationProvider] = [.none, .apiKey("k", inHeader: "X-Key")]
        for provider in providers {
            let own = api.delete("/own").authenticated(with: provider)
            let client = client(stub) {
                $0.authenticate("https://a.example", with: .bearerToken("client"))
                $0.middleware = [Interception.changing { $0 = try own.prepared() }]
            }
            try await client.send(api.delete("/"))
        }
        #expect(stub.requests.map { $0.header[.authorization] } == [nil, nil])
    }

    @Test("After attempt middleware has moved a request, no other request of its journey gets credentials or cookies")
    func mirror() async throws {
        let stub = StubTransport(script: [
            .reply(302, header: [Field(name: .location, value: "/next"), Field(name: .setCookie, value: "mirror=1")]),
            .reply(302, header: [Field(name: .location, value: "https://a.example/back")]), .reply(200),
        ])
        let store = CookieStore()
        let client = client(stub) {
            $0.cookies = store
            $0.authenticate("https://a.example", with: .bearerToken("s3cret"))
            $0.attemptMiddleware = [
                Interception.changing { if $0.url.path == "/" { $0.url = try RequestURL("https://mirror.example/") } }
            ]
        }
        try await client.send(api.delete("/"))
        #expect(
            stub.requests.map(\.url.text) == [
                "https://mirror.example/", "https://mirror.example/next", "https://a.example/back",
            ]
        )
        #expect(stub.requests.map { $0.header[.authorization] } == ["Bearer s3cret", nil, nil])
        #expect(stub.requests.map { $0.header[.cookie] } == [nil, "mirror=1", nil])
    }

    // MARK: Cancellation

    // Serialized, because each blocks a thread of the pool.
    @Test("A call that is canceled while middleware computes sends nothing", .serialized, arguments: [true, false])
    func canceled(isTask: Bool) async throws {
        let (begun, begins) = AsyncStream<Void>.makeStream()
        let mayGoOn = DispatchSemaphore(value: 0)
        /// Computes without looking at cancellation.
        let block = { @Sendable in mayGoOn.wait() }
        let busy = Interception { request, _, next in
            begins.yield()
            block()
            return try await next(request)
        }
        let stub = StubTransport { try .stub(200, for: $0) }
        let client = client(stub) { $0.middleware = [busy] }
        let task = Task { [api] in try await client.send(api.delete("/")) }
        for await _ in begun { break }
        if isTask { task.cancel() } else { client.cancelAll() }
        await #expect(throws: CancellationError.self) { try await task.value }
        mayGoOn.signal()
        // The next call proves that the first one's middleware had time to go on.
        let other = Task { [api] in try await client.send(api.delete("/other")) }
        mayGoOn.signal()
        for await _ in begun { break }
        try await other.value
        #expect(stub.requests.map(\.url.path) == ["/other"])
    }

    // MARK: Logs

    @Test("A request ID that middleware sets is in the log, and a secret isn't")
    func requestID() async throws {
        let events = Recorder<String>()
        let stub = StubTransport(script: [.reply(200)])
        let client = client(stub) {
            $0.middleware = [
                Interception.changing {
                    $0.header.set(Field(name: "X-Request-ID", value: "r-7").sensitive(false))
                    $0.header.set(Field(name: "X-Token", value: "s3cret"))
                }
            ]
            $0.log = LogDestination { events.record("\($0)") }
        }
        try await client.send(api.delete("/"))
        #expect(events.recorded.contains { $0.contains("sent") && $0.contains("X-Request-ID: r-7") })
        #expect(!events.recorded.joined().contains("s3cret"))
    }

    // MARK: The claim

    @Test("A request that attempt middleware sends over another client counts, and isn't sent twice")
    func failover() async throws {
        let (main, other) = (
            StubTransport(script: [.failure(.cannotConnect)]), StubTransport(script: [.failure(.closed)])
        )
        let backup = Client(transport: other)
        let failover = Interception { request, _, next in
            do {
                return try await next(request)
            } catch {
                return try await backup.stream(request)
            }
        }
        let client = client(main) {
            $0.retries = .fixed(.zero, limit: 2)
            $0.attemptMiddleware = [failover]
        }
        let post = api.post(.text("x"), to: "/")
        let error = await #expect(throws: TransportError.self) { try await client.send(post) }
        #expect(error?.requestMayHaveBeenProcessed == true)
        #expect(main.requests.count == 1 && other.requests.count == 1)
    }

    @Test("An error after a repetition by middleware says that an earlier request may have been processed")
    func repetition() async throws {
        let repeating = Interception { request, _, next in
            _ = try? await next(request)
            return try await next(request)
        }
        let stub = StubTransport(script: [.failure(.closed), .failure(.cannotConnect)])
        let client = client(stub) { $0.middleware = [repeating] }
        let error = await #expect(throws: TransportError.self) { try await client.send(api.delete("/")) }
        #expect(error?.code == .cannotConnect)
        #expect(error?.requestMayHaveBeenProcessed == true)
    }

    // MARK: Middleware of the library

    @Test("Requests beyond the rate wait for their turn")
    func rateLimit() async throws {
        let clock = TestClock(isImmediate: true)
        let server = StubTransport { try .stub(200, for: $0) }
        let client = server.client(on: clock) {
            $0.attemptMiddleware = [RateLimitMiddleware(RateLimiter(1, per: .seconds(10), burst: 1))]
        }
        for _ in 0..<3 { try await client.send(api.get(.none, from: "/")) }
        #expect(clock.sleeps == [.seconds(10), .seconds(10)])
    }

    @Test("Exchange middleware receives the number of the attempt")
    func attempts() async throws {
        let attempts = Recorder<Int>()
        let counting = Interception { request, context, next in
            attempts.record(context.attempt)
            return try await next(request)
        }
        let server = StubTransport(script: [.reply(503), .reply(503), .reply(200)])
        let client = server.client(on: TestClock(isImmediate: true)) {
            $0.retries = .fixed(.seconds(1), limit: 2)
            $0.attemptMiddleware = [counting]
        }
        try await client.send(api.get(.none, from: "/"))
        #expect(attempts.recorded == [1, 2, 3])
    }

    @Test(
        "middleware can replace a failure by a response or another error, or retry",
        arguments: [200, 401, 500, 503]
    )
    func errors(status: Int) async throws {
        let transport = StubTransport(script: [.reply(status), .reply(200, text: "sent")])
        struct Own: Error {}
        let replacing = Interception { request, context, next in
            let response = try await next(request)
            switch response.head.statusCode {
            case 401: return try .stub(200, body: Data("mocked".utf8), for: request)
            case 500: throw Own()
            case 503:
                try await context.clock.sleep(for: .seconds(1))
                return try await next(request)
            default: return response
            }
        }
        let failed = Recorder<Void>()
        let client = transport.client {
            $0.middleware = [replacing]
            $0.onFailure = { _ in failed.record() }
        }
        let result = await client.result(of: api.get(.text, from: "/"))
        #expect((try? result.get()) == [200: "", 401: "mocked", 503: "sent"][status])
        if status == 500 { #expect(throws: Own.self) { try result.get() } }
        #expect(failed.count == (status == 500 ? 1 : 0))
    }
}
