import RequestsTesting
import Testing

@Suite("Total timeout", .timeLimit(.minutes(5)))
struct TotalTimeoutTests {
    private let api = BaseURL("https://a.example")
    private let clock = TestClock()
    /// The clock of parts that wait too long. Apart, so that the number of sleeping timers doesn't hide theirs.
    private let stopped = TestClock()
    private let reason = "the total timeout of 10.0 seconds was reached (timeouts.total)"

    private func client(
        _ transport: any Transport,
        configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.timeouts.total = .seconds(10)
        configure(&configuration)
        return Client(transport: transport, configuration: configuration)
    }

    @Test("Each exchange gets the time that is left, and waits between attempts count")
    func remaining() async throws {
        let immediate = TestClock(isImmediate: true)
        let transport = ContextRecorder(
            StubTransport { request in
                immediate.advance(by: .seconds(1))
                if request.url.path == "/1" {
                    return try .stub(302, header: [Field(name: .location, value: "/2")], for: request)
                }
                return try .stub(503, for: request)
            }
        )
        let client = client(transport) {
            $0.clock = immediate
            $0.retries = .fixed(.seconds(3), limit: 9)
        }
        let response = try await client.stream(api.get(.none, from: "/1"))
        #expect(transport.remaining == [.seconds(10), .seconds(9), .seconds(5), .seconds(1)])
        #expect(response.head.statusCode == 503, "a retry that would come too late is not waited for")
        #expect(immediate.sleeps == [.seconds(3), .seconds(3)])
    }

    @Test("On an immediate clock, only waits take time, also with middleware")
    func immediate() async throws {
        let immediate = TestClock(isImmediate: true)
        let stub = StubTransport(script: [.reply(503), .reply(503), .reply(200, text: "ok")])
        let client = client(stub) {
            $0.clock = immediate
            $0.retries = .fixed(.seconds(3), limit: 9)
            $0.middleware = [Interception.changing { _ in }]
        }
        #expect(try await client.send(api.get(.text, from: "/1")) == "ok")
        #expect(immediate.sleeps == [.seconds(3), .seconds(3)])
    }

    @Test("Errors name the original timeout, even if the transport had less time left")
    func message() async throws {
        let message = Recorder<String>()
        let immediate = TestClock(isImmediate: true)
        let transport = StubTransport { request in
            message.record(TransportError.reason(.total, of: request.options.timeouts, total: .seconds(10)))
            return try .stub(503, for: request)
        }
        let client = client(transport) {
            $0.clock = immediate
            $0.retries = .fixed(.seconds(3), limit: 1)
        }
        _ = try await client.stream(api.get(.none, from: "/1"))
        #expect(Set(message.recorded) == [reason])
        #expect(message.count == 2)
    }

    private struct SlowFlow: AuthenticationFlow {
        let clock: TestClock
        let isSlowAtStart: Bool

        mutating func start(_ request: inout PreparedRequest) async throws {
            if isSlowAtStart { try await clock.sleep(for: .seconds(100)) }
            request.header.set(.authorization("t"))
        }

        mutating func next(after head: ResponseHead) async throws -> AuthenticationProvider.Step {
            try await clock.sleep(for: .seconds(100))
            return .done
        }
    }

    @Test("The timeout ends authentication that waits too long", arguments: ["provider", "start", "next", "refresh"])
    func waiting(part: String) async throws {
        let client = client(StubTransport(clock: clock) { try .stub(200, for: $0) }) { [stopped] in
            switch part {
            case "provider":
                $0.authenticate(
                    "https://a.example",
                    with: AuthenticationProvider.asynchronous { _ in
                        try await stopped.sleep(for: .seconds(100))
                    }
                )
            case "refresh":
                let tokens = TokenStore { _ in
                    try await stopped.sleep(for: .seconds(100))
                    return AccessToken("t")
                }
                $0.authenticate("https://a.example", with: .refreshing(tokens))
            default:
                $0.authenticate(
                    "https://a.example",
                    with: AuthenticationProvider {
                        SlowFlow(clock: stopped, isSlowAtStart: part == "start")
                    }
                )
            }
        }
        let task = Task { try await client.send(api.delete("/")) }
        try await stopped.waitForSleepers()
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .timedOut(.total))
        #expect(error?.requestMayHaveBeenProcessed == (part == "next"))
        #expect(stopped.sleeperCount == (part == "refresh" ? 1 : 0))
        #expect(clock.sleeperCount == 0)
    }

    @Test("Credentials that arrive in time are used")
    func inTime() async throws {
        let transport = ContextRecorder(
            StubTransport { try .stub($0.header[.authorization] == "t" ? 200 : 401, for: $0) }
        )
        let provider = AuthenticationProvider.asynchronous { [clock] request in
            clock.advance(by: .seconds(4))
            request.header.set(.authorization("t"))
        }
        try await client(transport) { $0.authenticate("https://a.example", with: provider) }.send(api.delete("/"))
        struct Flow: AuthenticationFlow {
            var request: PreparedRequest?
            mutating func start(_ request: inout PreparedRequest) { self.request = request }
            mutating func next(after head: ResponseHead) -> AuthenticationProvider.Step {
                guard head.statusCode == 401, var request else { return .done }
                request.header.set(.authorization("t"))
                return .sendAgain(request)
            }
        }
        try await client(transport).send(api.delete("/").authenticated(with: AuthenticationProvider { Flow() }))
        #expect(transport.remaining == [.seconds(6), .seconds(10), .seconds(10)])
    }

    @Test("A timeout can be longer than any clock can measure")
    func forever() async throws {
        let client = client(StubTransport(clock: clock) { try .stub(200, for: $0) }) {
            $0.clock = ContinuousClock()
            $0.timeouts.total = .seconds(Int64.max)
            $0.authenticate("https://a.example", with: AuthenticationProvider.asynchronous { _ in })
        }
        try await client.send(api.delete("/"))
    }

    @Test(
        "An invalid timeout throws the request's error, whether the client or the transport checks it",
        arguments: [true, false]
    )
    func invalid(isWatched: Bool) async {
        let client = client(StubTransport(clock: clock) { try .stub(200, for: $0) }) {
            $0.timeouts.total = .zero
            if isWatched { $0.authenticate("https://a.example", with: AuthenticationProvider.asynchronous { _ in }) }
        }
        let error = await #expect(throws: RequestError.self) { try await client.send(api.delete("/")) }
        #expect(error?.code == .invalidTimeout)
    }

    @Test("The client doesn't check the timeout if only the transport waits")
    func unwatched() async throws {
        try await client(StubTransport { try .stub(200, for: $0) }).send(api.delete("/"))
        #expect(clock.sleeps.isEmpty)
    }

    @Test(
        "The timeout ends middleware that waits too long",
        arguments: [(true, true), (true, false), (false, true), (false, false)]
    )
    func waitingMiddleware(isExchange: Bool, isAfter: Bool) async throws {
        let transport = StubTransport(clock: clock) { try .stub(200, for: $0) }
        let sleeping = Interception { [stopped] request, _, next in
            let response = isAfter ? try await next(request) : nil
            try await stopped.sleep(for: .seconds(100))
            if let response { return response }
            return try await next(request)
        }
        let client = client(transport) {
            if isExchange { $0.attemptMiddleware = [sleeping] } else { $0.middleware = [sleeping] }
        }
        let task = Task { try await client.send(api.delete("/")) }
        try await stopped.waitForSleepers()
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .timedOut(.total))
        #expect(error?.message == "DELETE https://a.example/: \(reason)")
        #expect(error?.requestMayHaveBeenProcessed == isAfter)
        #expect(transport.requests.count == (isAfter ? 1 : 0))
        #expect(clock.sleeperCount == 0)
        #expect(stopped.sleeperCount == 0)
    }

    @Test("The timeout ends a call whose middleware ignores the cancellation")
    func stubbornMiddleware() async throws {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let waiting = Interception { request, _, next in
            await Task { for await _ in gate { return } }.value
            return try await next(request)
        }
        let client = client(StubTransport(clock: clock) { try .stub(200, for: $0) }) {
            $0.attemptMiddleware = [waiting]
        }
        let task = Task { try await client.send(api.delete("/")) }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .timedOut(.total))
        opener.finish()
    }

    @Test("The timeout ends a body with which middleware has replaced the response's")
    func replacedBody() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        let (replacements, didReplace) = AsyncStream.makeStream(of: Void.self)
        let replacing = Interception { [body = ResponseBody(stream)] request, _, next in
            var response = try await next(request)
            response.content = body
            didReplace.yield()
            return response
        }
        let client = client(StubTransport(clock: clock) { try .stub(200, for: $0) }) {
            $0.middleware = [replacing]
        }
        let task = Task { try await client.send(api.delete("/")) }
        for await _ in replacements { break }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.code == .timedOut(.total))
        #expect(error?.requestMayHaveBeenProcessed == true)
        continuation.finish()
    }

    @Test("The time of exchange middleware counts")
    func attemptMiddleware() async throws {
        let slow = Interception.changing { [clock] _ in clock.advance(by: .seconds(9)) }
        let transport = ContextRecorder(StubTransport(clock: clock) { try .stub(200, for: $0) })
        try await client(transport) { $0.attemptMiddleware = [slow] }.send(api.delete("/"))
        #expect(transport.remaining == [.seconds(1)])
    }
}
