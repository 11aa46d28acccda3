import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("What decides about retries", .timeLimit(.minutes(5)))
struct ClientRetryingTests {
    private let api = BaseURL("https://a.example")
    private let clock = TestClock(isImmediate: true)
    private let sent = Recorder<PreparedRequest>()

    /// Responds with one status after the other, and fails if there is none.
    private func client(
        _ statuses: [Int?],
        clock: TestClock? = nil,
        configure: (inout Client.Configuration) -> Void = { $0.retries = .fixed(.seconds(1)) }
    ) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = clock ?? self.clock
        configure(&configuration)
        let transport = StubTransport { [sent] request in
            sent.record(request)
            guard let status = statuses[sent.count - 1] else {
                throw TransportError(code: .closed, message: "number \(sent.count)", phase: .sending)
            }
            return try .stub(status, body: Data("number \(sent.count)".utf8), for: request)
        }
        return Client(transport: transport, configuration: configuration)
    }

    @Test("The request's observer receives the events of each attempt")
    func observer() async throws {
        let observed = Recorder<Int>()
        let clock = clock
        let transport = StubTransport { request in
            switch observed.count {
            case 1: return try .stub(503, for: request)
            case 2: return try .stub(307, header: [Field(name: "Location", value: "/moved")], for: request)
            default: return try .stub(200, for: request)
            }
        }
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.retries = .fixed(.seconds(1))
        let request = api.put(.text("x"), to: "/").observing { event in
            if case .sent = event { observed.record(observed.count) }
        }
        try await Client(transport: transport, configuration: configuration).send(request)
        #expect(observed.recorded == [0, 1, 2])
    }

    @Test("The condition is asked about each head, and about a failure after it", arguments: [200, 503])
    func condition(status: Int) async throws {
        let asked = Recorder<String>()
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.retries = .fixed(.zero, limit: 3).retrying { outcome, _ in
            switch outcome {
            case .response(let head): asked.record("\(head.statusCode)")
            case .failure(let error): asked.record("\((error as? TransportError)?.code.rawValue ?? "other")")
            }
            return asked.recorded != ["200"] && asked.recorded.last != "204"
        }
        let broken = StubTransport.Reply.reply(status, chunks: [Data("num".utf8)], failure: .truncated)
        let script = StubTransport(script: [broken, .reply(status, text: "whole"), .reply(204)])
        let client = Client(transport: script, configuration: configuration)
        _ = await client.result(of: api.get(.text, from: "/"))
        #expect(asked.recorded == (status == 200 ? ["200", "truncated"] : ["503"]) + ["\(status)", "204"])
    }

    @Test("By default nothing is retried")
    func byDefault() async throws {
        #expect(try await client([503]) { _ in }.stream(api.delete("/")).head.statusCode == 503)
        #expect(sent.count == 1)
    }

    @Test("The request's policy replaces the client's")
    func perRequest() async throws {
        #expect(try await client([503]).stream(api.delete("/").retrying(.never)).head.statusCode == 503)
        let second = client([503, 503, 200]) { _ in }
        #expect(try await second.stream(api.delete("/").retrying(.fixed(.zero))).head.statusCode == 200)
    }

    @Test("A random number is drawn for each wait")
    func jitter() async throws {
        let numbers = Recorder<Void>()
        let client = client([503, 503, 200]) {
            $0.retries = .exponential(initial: .seconds(8), maximum: .seconds(12))
            $0.random = {
                numbers.record()
                return 0.25 * Double(numbers.count)
            }
        }
        try await client.send(api.delete("/"))
        #expect(clock.sleeps == [.seconds(2), .seconds(6)])
    }

    @Test("The date comes from the configuration")
    func date() async throws {
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.retries = .fixed(.seconds(1), limit: 1)
        configuration.date = { Date(timeIntervalSince1970: 784_111_777) }
        let transport = StubTransport { request in
            let header: Header = [Field(name: "Retry-After", value: "Sun, 06 Nov 1994 08:49:47 GMT")]
            return try .stub(503, header: header, for: request)
        }
        _ = try await Client(transport: transport, configuration: configuration).stream(api.delete("/"))
        #expect(clock.sleeps == [.seconds(10)])
    }

    @Test("An unneeded body is read or canceled before the next attempt")
    func discards() async throws {
        let events = Recorder<String>()
        let transport = StubTransport { request in
            events.record("sent")
            guard !events.recorded.contains("given up") else { return try .stub(200, for: request) }
            let body = AsyncStream<Data> { $0.yield(Data(count: 100_000)) }
            return Response(
                head: try ResponseHead(statusCode: 503, url: request.url),
                content: ResponseBody(body, onCancel: { events.record("given up") })
            )
        }
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.retries = .fixed(.zero)
        try await Client(transport: transport, configuration: configuration).send(api.delete("/"))
        #expect(events.recorded == ["sent", "given up", "sent"])
    }

    // MARK: Idempotency keys

    /// Sends a request again if the status isn't 200.
    private let twice = Interception { request, _, next in
        let response = try await next(request)
        return response.head.statusCode == 200 ? response : try await next(request)
    }

    private func keys(_ request: Request<BaseURL, Void>, script: [StubTransport.Reply]) async throws -> [String?] {
        let stub = StubTransport(script: script)
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.zero, limit: 1)
        configuration.middleware = [twice]
        _ = try? await Client(transport: stub, configuration: configuration).send(request)
        return stub.requests.map { $0.header[.idempotencyKey] }
    }

    @Test("One generated key goes with every attempt of a call, whoever repeats it")
    func attempts() async throws {
        let script: [StubTransport.Reply] = [.reply(503), .reply(503), .reply(503), .reply(200)]
        let keys = try await keys(api.post(.none, to: "/").idempotent(), script: script)
        #expect(keys.count == 4)
        #expect(Set(keys).count == 1)
        #expect((keys[0]?.count ?? 0) >= 32)
    }

    @Test("Each call has its own key")
    func calls() async throws {
        let request = api.post(.none, to: "/").idempotent()
        let first = try await keys(request, script: [.reply(200)])
        let second = try await keys(request, script: [.reply(200)])
        #expect(first != second)
        #expect(try request.prepared() == request.prepared(), "building a request creates no key")
    }

    @Test("A key of the request itself is kept")
    func own() async throws {
        let request = api.post(.none, to: "/").idempotent().setting("Idempotency-Key", "own")
        #expect(try await keys(request, script: [.reply(200)]) == ["own"])
    }

    // MARK: Retry budget

    private func spent(_ budget: RetryBudget?, requests: Int) async -> Int {
        let server = StubTransport { request in try .stub(503, for: request) }
        let client = server.client(on: clock) {
            $0.retries = .fixed(.seconds(1), limit: 3)
            $0.retryBudget = budget
        }
        for _ in 0..<requests { _ = await client.result(of: api.get(.none, from: "/")) }
        return server.requests.count
    }

    @Test("A failing server gets the reserve and then a share of retries")
    func share() async {
        #expect(await spent(nil, requests: 100) == 400)
        #expect(await spent(RetryBudget(share: 0.25, reserve: 10), requests: 100) == 134)
        #expect(await spent(RetryBudget(share: 0, reserve: 0), requests: 10) == 10)
    }

    @Test("Clients that share a budget share its limit, and successful requests fill it again")
    func shared() async {
        let budget = RetryBudget(share: 0.5, reserve: 2)
        #expect(await spent(budget, requests: 1) == 3)
        #expect(await spent(budget, requests: 1) == 1)
        let client = StubTransport { request in try .stub(200, for: request) }.client(on: clock) {
            $0.retries = .fixed(.seconds(1), limit: 3)
            $0.retryBudget = budget
        }
        for _ in 0..<10 { _ = await client.result(of: api.get(.none, from: "/")) }
        #expect(await spent(budget, requests: 1) == 3)
    }
}
