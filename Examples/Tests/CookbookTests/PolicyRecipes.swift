import Foundation
import RequestsSchemes
import RequestsTesting
import Synchronization
import Testing

@Suite("Cookbook: policies", .timeLimit(.minutes(5)))
struct PolicyRecipes {
    typealias User = Kitchen.User

    let kitchen = Kitchen()
    var api: BaseURL { kitchen.api }

    private func send(_ configuration: Client.Configuration, _ replies: StubTransport.Reply...) async throws
        -> StubTransport
    {
        let stub = StubTransport(script: replies)
        var configuration = configuration
        configuration.clock = TestClock(isImmediate: true)
        try await Client(transport: stub, configuration: configuration).send(api.get(.none, from: "/"))
        return stub
    }

    @Test("Retry failed requests")
    func retries() async throws {
        var configuration = Client.Configuration()
        configuration.retries = .exponential(limit: 3)
        configuration.retryBudget = RetryBudget(share: 0.2)
        #expect(try await send(configuration, .reply(503), .reply(200)).requests.count == 2)
        let down = kitchen.client(.reply(503), .reply(503), .reply(503), .reply(503)) {
            $0.retries = configuration.retries
        }
        await #expect(throws: ResponseError.self) { try await down.send(api.get(.none, from: "/")) }
    }

    @Test("Wait as long as the server asks for")
    func retryAfter() async throws {
        var configuration = Client.Configuration()
        configuration.retries = .exponential()
        configuration.retries?.maximumRetryAfter = .seconds(120)
        #expect(
            try await send(configuration, .reply(429, header: ["Retry-After": "90"]), .reply(200)).requests.count == 2
        )
    }

    @Test("Repeat a POST safely")
    func idempotency() async throws {
        let client = kitchen.client(.reply(503), .reply(201)) { $0.retries = .exponential() }
        try await client.send(
            api.post(json: ["item": "tea"], to: "/orders").idempotent()
        )
        let stub = StubTransport(script: [.failure(.closed), .reply(201)])
        var retrying = Client(transport: stub)
        retrying.configuration = client.configuration
        try await retrying.send(api.post(json: ["item": "tea"], to: "/orders").idempotent())
        #expect(stub.requests.count == 2)
        #expect(Set(stub.requests.map { $0.header[.idempotencyKey] }).count == 1, "Both attempts have the same key.")
        let careless = kitchen.client(.reply(503), .reply(201)) { $0.retries = .exponential() }
        await #expect(throws: ResponseError.self) {
            try await careless.send(api.post(json: ["item": "tea"], to: "/orders"))
        }
    }

    @Test("Send at most ten requests per second")
    func rateLimit() async throws {
        var configuration = Client.Configuration()
        configuration.attemptMiddleware = [
            RateLimitMiddleware(RateLimiter(10, per: .seconds(1)))
        ]
        #expect(try await send(configuration, .reply(200)).requests.count == 1)
    }

    @Test("Wait until a server's quota is renewed")
    func quota() async throws {
        var policy = RetryPolicy.exponential().retrying(after: { head in
            // An Int, because a large Double from a server can't become a Duration.
            guard head.statusCode == 429,
                let reset = head.header["X-RateLimit-Reset"].flatMap({ Int($0) })
            else {
                return nil
            }
            return .seconds(Double(reset) - Date().timeIntervalSince1970)
        })
        // A longer wait returns the response instead.
        policy.maximumRetryAfter = .seconds(5 * 60)
        let soon = Header(["X-RateLimit-Reset": "\(Int(Date().timeIntervalSince1970) + 60)"])
        let late = Header(["X-RateLimit-Reset": "\(Int.max)"])
        let client = kitchen.client(.reply(429, header: soon), .reply(200), .reply(429, header: late)) {
            $0.retries = policy
        }
        try await client.send(api.get(.none, from: "/"))
        await #expect(throws: ResponseError.self) { try await client.send(api.get(.none, from: "/")) }
    }

    @Test("Limit the time of a request")
    func timeouts() async throws {
        let report = api.get(.data, from: "/report").timeouts(
            connect: .seconds(5),
            idle: .seconds(30),
            total: .seconds(120)
        )
        let slow = StubTransport(
            script: [.reply(200).delayed(by: .seconds(31))],
            clock: TestClock(isImmediate: true)
        )
        let error = await #expect(throws: TransportError.self) { try await Client(transport: slow).send(report) }
        #expect(error?.code == .timedOut(.idle))
    }

    @Test("Refresh a token once for all requests")
    func refresh() async throws {
        let login = kitchen.client(.reply(200, jsonText: #"{"token": "new"}"#))
        struct Login: Decodable, Sendable { var token: String }
        let expired = AccessToken("expired", refreshToken: "r1")
        let tokens = TokenStore(expired) { [api] old in
            let renewal = api.post(json: ["refresh": old?.refreshToken], to: "/token")
                .receiving(json: Login.self)
            return AccessToken(
                try await login.send(renewal).token,
                refreshToken: old?.refreshToken
            )
        }
        var configuration = Client.Configuration()
        configuration.authenticate(
            "https://api.example.com",
            with: .refreshing(tokens)
        )
        let requests = try await send(configuration, .reply(401), .reply(200)).requests
        #expect(requests.last?.header[.authorization] == "Bearer new")
    }

    @Test("Get tokens with OAuth 2")
    func oauth() async throws {
        let login = kitchen.client(.reply(200, jsonText: #"{"access_token": "t0ken", "expires_in": 3600}"#))
        let server = OAuth2(
            tokenURL: URL("https://login.example.com/token"),
            client: .confidential(id: "reports", secret: "s3cret")
        )
        let tokens = TokenStore { _ in
            try await login.send(server.clientCredentials(scope: ["reports.read"]))
        }
        var configuration = Client.Configuration()
        configuration.authenticate(
            "https://api.example.com",
            with: .refreshing(tokens)
        )
        let requests = try await send(configuration, .reply(200)).requests
        #expect(requests.first?.header[.authorization] == "Bearer t0ken")
    }

    @Test("Read an object from S3")
    func s3() throws {
        let bucket = BaseURL("https://reports.s3.eu-central-1.amazonaws.com")
        let credentials = AWSCredentials(
            accessKeyID: "AKIDEXAMPLE",
            secretAccessKey: "s3cret"
        )
        let report = bucket.get(.data, from: Endpoint(key: "2026/q1.csv"))
            .authenticated(
                with: .awsSigV4(credentials, region: "eu-central-1", service: "s3")
            )
        #expect(try report.prepared().header[.authorization]?.contains("eu-central-1/s3") == true)
    }

    @Test("Keep cookies between requests")
    func cookies() async throws {
        var configuration = Client.Configuration()
        configuration.cookies = CookieStore()
        #expect(try await send(configuration, .reply(200, header: ["Set-Cookie": "a=1"])).requests.count == 1)
        #expect(try await send(configuration, .reply(200)).requests.first?.header["Cookie"] == "a=1")
    }

    @Test("Change every request in one place")
    func middleware() async throws {
        struct Signing: Middleware {
            func intercept(
                _ request: PreparedRequest,
                context: CallContext,
                next: @escaping Next
            ) async throws -> Response<ResponseBody> {
                var request = request
                request.header.set(
                    Field(name: "X-Request-Target", value: request.url.target)
                )
                return try await next(request)
            }
        }
        var configuration = Client.Configuration()
        configuration.middleware = [Signing()]
        #expect(try await send(configuration, .reply(200)).requests.first?.header["X-Request-Target"] == "/")
    }

    @Test("Log calls without secrets")
    func log() async throws {
        var configuration = Client.Configuration()
        configuration.log = LogDestination { event in print(event) }
        // Or to the standard error.
        configuration.log = .console
        let lines = Mutex<[String]>([])
        configuration.log = .all(
            configuration.log,
            LogDestination { event in lines.withLock { $0.append("\(event)") } }
        )
        let client = kitchen.client(.reply(200)) { $0.log = configuration.log }
        try await client.send(api.get(.none, from: "/me?token=s3cret").authenticated(with: .bearerToken("s3cret")))
        #expect(lines.withLock { lines in lines.count > 1 && !lines.contains { $0.contains("s3cret") } })
    }

    @Test("Cancel a request, or all of them")
    func cancel() async throws {
        let client = kitchen.client(.never)
        let api = api
        let call = Task { try await client.send(api.get(.text, from: "/slow")) }
        call.cancel()
        client.cancelAll()
        await #expect(throws: CancellationError.self) { try await call.value }
    }
}
