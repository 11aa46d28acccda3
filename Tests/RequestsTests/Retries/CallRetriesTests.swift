import RequestsConformance
import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Retries of a call", .timeLimit(.minutes(5)))
struct CallRetriesTests {
    private typealias Reply = ScriptedTransport.Reply

    private struct Broken: Error {}

    private let api = BaseURL("https://a.example")
    private let url: RequestURL
    private let expectation = Field(name: "Expect", value: "x")

    init() throws {
        url = try RequestURL("https://a.example/")
    }

    /// Fails at its start or at its first response.
    private struct FailingFlow: AuthenticationFlow {
        let failures: Recorder<Void>
        let failsAtStart: Bool

        private func fail() throws {
            guard failures.count == 0 else { return }
            failures.record()
            throw TransportError(code: .cannotConnect, message: "broken", phase: .connecting)
        }

        mutating func start(_ request: inout PreparedRequest) throws {
            if failsAtStart { try fail() }
        }

        mutating func next(after head: ResponseHead) throws -> Step {
            if !failsAtStart { try fail() }
            return .done
        }
    }

    @Test(
        "An error is retried while a request is authenticated, sent or received",
        arguments: [("start of a flow", 1), ("next step of a flow", 2), ("send", 2), ("body", 2), ("body of 404", 2)]
    )
    func retried(place: String, requests: Int) async throws {
        let failures = Recorder<Void>()
        let script: [Reply] =
            switch place {
            case "send": [.refused, .status(200)]
            case "body": [.broken(200, [], "a", .closed), .status(200)]
            case "body of 404": [.broken(404, [], "a"), .status(200)]
            default: [.status(200), .status(200)]
            }
        let transport = ScriptedTransport(script)
        let client = transport.client {
            $0.retries = .fixed(.seconds(1), limit: 2)
            guard place.hasSuffix("flow") else { return }
            let provider = AuthenticationProvider {
                FailingFlow(failures: failures, failsAtStart: place.hasPrefix("start"))
            }
            $0.authenticate("https://a.example", with: provider)
        }
        #expect(await failure { try await client.send(api.get(.none, from: "/")) } == nil)
        #expect(transport.sent.count == requests)
        #expect(transport.clock.waits == [.seconds(1)])
    }

    @Test("An error of the wait itself ends the call")
    func failingWait() async {
        let error = TransportError(code: .cannotConnect, message: "no clock", phase: .connecting)
        let transport = ScriptedTransport([.status(503), .status(200)], on: ScriptedClock(failure: error))
        let client = transport.client { $0.retries = .fixed(.seconds(1), limit: 2) }
        let thrown = await failure { try await client.send(api.get(.none, from: "/")) } as? TransportError
        #expect(thrown?.message.hasPrefix("no clock") == true)
        #expect(transport.sent.count == 1)
        #expect(transport.clock.waits == [.seconds(1)])
    }

    @Test("An error of a response that isn't needed changes nothing", arguments: [302, 503])
    func failingDrain(status: Int) async {
        let header: Header = [Field(name: .location, value: "/next")]
        let transport = ScriptedTransport([.broken(status, header, "a", .closed), .status(200)])
        let client = transport.client { $0.retries = .fixed(.seconds(1), limit: 2) }
        #expect(await failure { try await client.send(api.get(.none, from: "/")) } == nil)
        #expect(transport.urls == ["https://a.example/", "https://a.example/" + (status == 302 ? "next" : "")])
        #expect(transport.clock.waits == (status == 302 ? [] : [.seconds(1)]))
    }

    @Test(
        "Nothing is sent after the result of a call",
        arguments: [
            (Named("a delivered head", Reply.broken()), true), (Named("a delivered body", .status(200)), false),
            (Named("a refused status", .status(404)), false),
            (Named("an error that isn't retried", .error(Broken())), false),
        ]
    )
    func over(reply: Named<ScriptedTransport.Reply>, isStream: Bool) async throws {
        let transport = ScriptedTransport([reply.value, .status(200), .status(200)])
        let client = transport.client { $0.retries = .fixed(.seconds(1), limit: 2) }
        if isStream {
            let response = try await client.stream(api.get(.none, from: "/"))
            let error = await failure { _ = try await response.content.collect(upTo: 9) }
            #expect(errorCode(error) == "truncated")
        } else {
            _ = await failure { try await client.send(api.get(.none, from: "/")) }
        }
        #expect(transport.sent.count == 1)
        #expect(transport.clock.waits == [])
    }

    @Test("417 repeats a request with `Expect` once, and without that field")
    func refusedExpectation() async throws {
        let drains = TestClock(isImmediate: true)
        let endless = ResponseBody(AsyncStream<Data> { _ in })
        let transport = ScriptedTransport([.body(417, [], endless), .status(417, [], "no")])
        let client = transport.client {
            $0.retries = .fixed(.seconds(1), limit: 2)
            $0.drainingClock = drains
        }
        let header: Header = [Field(name: "X-Own", value: "1"), expectation]
        let request = try PreparedRequest(method: .put, url: url, header: header, body: .data(Data("x".utf8)))
        let error = await failure { _ = try await client.send(request) } as? ResponseError
        #expect(error?.head.statusCode == 417)
        #expect(error?.data == Data("no".utf8))
        #expect(transport.sent.map(\.request.header) == [header, [Field(name: "X-Own", value: "1")]])
        #expect(transport.sent.map(\.request.method) == [.put, .put])
        #expect(transport.sent.map(\.body) == [Data("x".utf8), Data("x".utf8)])
        #expect(transport.sent.map(\.attempt) == [1, 1])
        #expect(transport.clock.waits == [])
        #expect(drains.sleeps == [.milliseconds(250)])
    }

    @Test(
        "No other status repeats a request with `Expect`, nor does 417 without it or with a body that is gone",
        arguments: [
            (Named("404", RequestBody.data(Data("x".utf8))), 404, true),
            (Named("no Expect", .data(Data("x".utf8))), 417, false),
            (Named("one-shot body", .oneShot(Data("x".utf8))), 417, true),
        ]
    )
    func acceptedExpectation(body: Named<RequestBody>, status: Int, isExpecting: Bool) async throws {
        let transport = ScriptedTransport([.status(status), .status(200)])
        let header: Header = isExpecting ? [expectation] : []
        let request = try PreparedRequest(method: .put, url: url, header: header, body: body.value)
        let client = transport.client { $0.retries = .fixed(.seconds(1), limit: 2) }
        let error = await failure { _ = try await client.send(request) }
        #expect(errorCode(error) == "\(status)")
        #expect(transport.sent.map(\.body) == [Data("x".utf8)])
    }

    @Test("Without another retry, the caller gets the last error with the number of attempts, or the last response")
    func lastResult() async {
        var transport = ScriptedTransport([.status(503), .closed, .refused, .refused, .status(200)])
        var client = transport.client { $0.retries = .fixed(.seconds(1)) }
        let error = await failure { try await client.send(api.get(.none, from: "/")) }
        #expect((error as? TransportError)?.message == "broken, after 4 attempts")
        #expect(transport.sent.map(\.attempt) == [1, 2, 3, 4])
        transport = ScriptedTransport([.closed, .status(500), .status(502), .status(503, [], "last"), .status(200)])
        client = transport.client { $0.retries = .fixed(.seconds(1)) }
        let response = await failure { try await client.send(api.get(.none, from: "/")) } as? ResponseError
        #expect(response?.head.statusCode == 503)
        #expect(response?.data == Data("last".utf8))
        #expect(transport.sent.count == 4)
    }

    @Test("A condition decides about every response, and can retry one that would be accepted")
    func condition() async throws {
        let transport = ScriptedTransport([.status(200), .status(200), .status(200, [], "third"), .status(200)])
        let client = transport.client { $0.retries = .fixed(.seconds(1), limit: 2).retrying { _, _ in true } }
        let data = try await client.send(PreparedRequest(method: .post, url: url))
        #expect(data == Data("third".utf8))
        #expect(transport.clock.waits == [.seconds(1), .seconds(1)])
    }

    @Test(
        "A retry that wouldn't happen takes nothing from the budget",
        arguments: ["POST", "PUT with a one-shot body", "GET with too little time", "GET without retries"]
    )
    func budget(kind: String) async throws {
        let budget = RetryBudget(share: 0, reserve: 1)
        let transport = ScriptedTransport { index in index == 2 ? .status(200) : .status(503) }
        let client = transport.client {
            $0.retries = .fixed(.seconds(1), limit: 2)
            $0.retryBudget = budget
        }
        var request = try PreparedRequest(url: url)
        switch kind {
        case "POST": request.method = .post
        case "GET with too little time": request.options.timeouts.total = .seconds(1)
        case "GET without retries": request.options.retries = .never
        default: request = try PreparedRequest(method: .put, url: url, body: .oneShot(Data("x".utf8)))
        }
        #expect(errorCode(await failure { _ = try await client.send(request) }) == "503")
        #expect(transport.sent.count == 1)
        // The only retry of the budget is left for the next call.
        #expect(await failure { _ = try await client.send(PreparedRequest(url: url)) } == nil)
        #expect(transport.sent.count == 3)
        #expect(errorCode(await failure { _ = try await client.send(PreparedRequest(url: url)) }) == "503")
        #expect(transport.sent.count == 4)
        #expect(transport.clock.waits == [.seconds(1)])
    }

    @Test("A budget that ends during a call ends its retries, and the caller gets the last response")
    func emptyBudget() async throws {
        let transport = ScriptedTransport([.status(503, [], "1"), .status(503, [], "2"), .status(200)])
        let client = transport.client {
            $0.retries = .fixed(.seconds(1), limit: 2)
            $0.retryBudget = RetryBudget(share: 0, reserve: 1)
        }
        let error = await failure { _ = try await client.send(PreparedRequest(url: url)) } as? ResponseError
        #expect(error?.head.statusCode == 503)
        #expect(error?.data == Data("2".utf8))
        #expect(transport.sent.count == 2)
        #expect(transport.clock.waits == [.seconds(1)])
    }

    @Test(
        "A repetition needs a body that can be read again, time, and budget, whatever the policy's condition",
        arguments: [
            (Named("enough", Duration.seconds(4)), false, 1, true), (Named("no body", .zero), true, 1, false),
            (Named("no time", .seconds(5)), false, 1, false), (Named("no budget", .zero), false, 0, false),
        ]
    )
    func mayRepeat(wait: Named<Duration>, isOneShot: Bool, budget: Int, isRepeated: Bool) async throws {
        let transport = ScriptedTransport([.status(503), .status(200)])
        let client = transport.client {
            $0.retries = .fixed(wait.value, limit: 1).retrying { _, _ in true }
            $0.timeouts.total = .seconds(5)
            $0.retryBudget = RetryBudget(share: 0, reserve: budget)
        }
        let body = isOneShot ? RequestBody.oneShot(Data("x".utf8)) : .none
        let request = try PreparedRequest(method: .put, url: url, body: body)
        let error = await failure { _ = try await client.send(request) }
        #expect(errorCode(error) == (isRepeated ? nil : "503"))
        #expect(transport.sent.count == (isRepeated ? 2 : 1))
        #expect(transport.clock.waits == (isRepeated ? [wait.value] : []))
    }
}
