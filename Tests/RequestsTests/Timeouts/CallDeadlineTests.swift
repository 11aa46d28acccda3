import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("The deadline of a call", .timeLimit(.minutes(5)))
struct CallDeadlineTests {
    private typealias Reply = ScriptedTransport.Reply

    private let api = BaseURL("https://a.example")

    /// Sends `GET /`, with at most two retries after a second each.
    private func run(
        _ script: [Reply],
        on clock: ScriptedClock = ScriptedClock(),
        total: Duration?,
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) async -> (transport: ScriptedTransport, error: (any Error)?) {
        let transport = ScriptedTransport(script, on: clock)
        let client = transport.client {
            $0.timeouts.total = total
            $0.retries = .fixed(.seconds(1), limit: 2)
            configure(&$0)
        }
        return (transport, await failure { try await client.send(api.get(.none, from: "/")) })
    }

    @Test(
        "A wait that ends after the deadline ends the call with the last real error",
        arguments: [
            (Named("503", Reply.status(503)), "503"), (Named("no connection", .refused), "cannotConnect"),
            (Named("a broken body", .broken()), "truncated"),
            (Named("a broken body of 404", .broken(404)), "truncated"),
        ],
        ["no flow", "flow", "call middleware"]
    )
    func lateWait(reply: (Named<ScriptedTransport.Reply>, code: String), layer: String) async {
        let (reply, code) = reply
        let clock = ScriptedClock(oversleeping: .seconds(10))
        let (transport, error) = await run([reply.value, .status(200)], on: clock, total: .milliseconds(5_500)) {
            switch layer {
            case "flow": $0.authenticate("https://a.example", with: .answering([401]))
            case "call middleware": $0.middleware = [Interception.changing { _ in }]
            default: break
            }
        }
        #expect(errorCode(error) == code)
        if let error = error as? TransportError {
            #expect(error.requestMayHaveBeenProcessed == (code == "truncated"))
            #expect(error.message == "broken")
        }
        #expect(transport.sent.count == 1)
        #expect(clock.waits == [.seconds(1)])
    }

    @Test(
        "A wait isn't begun if it would reach the deadline, and the caller gets the last error",
        arguments: [(3, true), (4, false), (5, false)]
    )
    func longWait(seconds: Int, isWaiting: Bool) async {
        let clock = ScriptedClock()
        let refused = Reply { _ in
            clock.advance(by: .seconds(seconds))
            throw TransportError(code: .cannotConnect, message: "broken", phase: .connecting)
        }
        let (transport, error) = await run([refused, .status(200)], on: clock, total: .seconds(5))
        #expect(errorCode(error) == (isWaiting ? nil : "cannotConnect"))
        #expect(transport.sent.count == (isWaiting ? 2 : 1))
        #expect(clock.waits == (isWaiting ? [.seconds(1)] : []))
    }

    @Test("A call whose time is over neither authenticates nor sends", arguments: [true, false])
    func over(hasFlow: Bool) async {
        let clock = ScriptedClock()
        let starts = Recorder<Void>()
        let (transport, error) = await run([.status(200)], on: clock, total: .milliseconds(4_500)) {
            $0.middleware = [Interception.changing { _ in clock.advance(by: .seconds(5)) }]
            let provider = AuthenticationProvider.answering([401]) { _ in starts.record() }
            if hasFlow { $0.authenticate("https://a.example", with: provider) }
        }
        #expect(errorCode(error) == "timedOut(total)")
        #expect(starts.count == 0)
        #expect(transport.sent.isEmpty)
        #expect(clock.waits == [])
    }

    @Test("A request is sent with the time that is left, at most the maximum of the transports")
    func remaining() async {
        let clock = ScriptedClock()
        let (transport, error) = await run([.status(200)], on: clock, total: .milliseconds(6_500)) {
            $0.middleware = [Interception.changing { _ in clock.advance(by: .seconds(5)) }]
        }
        #expect(error == nil)
        #expect(transport.sent.map(\.remaining) == [.milliseconds(1_500)])
        let endless = await run([.status(200)], total: .seconds(Int64.max)).transport
        #expect(endless.sent.map(\.remaining) == [Timeouts.unlimited])
        let unlimited = await run([.status(200)], total: nil).transport
        #expect(unlimited.sent.map(\.remaining) == [nil])
    }

    @Test(
        "A response is drained until the wait and the deadline, and for at most 250 milliseconds",
        arguments: [(nil, 250, 1), (10_000, 250, 1), (1_100, 100, 1), (900, nil, 1), (1_000, nil, 1), (200, 200, 0)]
            as [(Int?, Int?, Int)]
    )
    func draining(total: Int?, expected: Int?, wait: Int) async throws {
        let canceled = Recorder<Void>()
        let drains = TestClock(isImmediate: true)
        let endless = ResponseBody(AsyncStream<Data> { _ in }, onCancel: { canceled.record() })
        let transport = ScriptedTransport([.body(503, [], endless), .status(200)])
        let client = transport.client {
            $0.drainingClock = drains
            $0.timeouts.total = total.map { .milliseconds($0) }
            $0.retries = .fixed(.seconds(wait), limit: 1)
        }
        let response = try await client.stream(api.get(.none, from: "/"))
        #expect(drains.sleeps == (expected.map { [.milliseconds($0)] } ?? []))
        // Without time for the wait, the response is the result.
        #expect(response.head.statusCode == (expected == nil ? 503 : 200))
        #expect(canceled.count == (expected == nil ? 0 : 1))
        #expect(transport.clock.waits == (expected == nil ? [] : [.seconds(wait)]))
    }

    @Test("A redirect after the deadline is neither drained nor followed")
    func lateRedirect() async {
        let clock = ScriptedClock()
        let canceled = Recorder<Void>()
        let drains = TestClock(isImmediate: true)
        let redirect = Reply {
            clock.advance(by: .seconds(2))
            let body = ResponseBody(AsyncStream<Data> { _ in }, onCancel: { canceled.record() })
            return try Response(status: 302, header: [Field(name: .location, value: "/next")], content: body, for: $0)
        }
        let (transport, error) = await run([redirect, .status(200)], on: clock, total: .seconds(1)) {
            $0.drainingClock = drains
        }
        #expect(errorCode(error) == "timedOut(total)")
        let late = error as? TransportError
        #expect(late?.requestMayHaveBeenProcessed == true)
        #expect(late?.phase == .preparing)
        let reason = "the total timeout of 1.0 seconds was reached (timeouts.total)"
        #expect(late?.message == "GET https://a.example/next: \(reason)")
        #expect(transport.sent.count == 1)
        #expect(drains.sleeps == [])
        #expect(canceled.count == 1)
    }

    @Test(
        "There is no wait if discarding the response leaves too little time",
        arguments: [(3, true), (4, false), (5, false)]
    )
    func slowDiscarding(seconds: Int, isWaiting: Bool) async {
        let clock = ScriptedClock()
        // The only read of the body takes its time and finds the end.
        let slow = Reply { request in
            let body = AsyncStream<Data> {
                clock.advance(by: .seconds(seconds))
                return nil
            }
            return try Response(status: 503, header: [], content: ResponseBody(body), for: request)
        }
        let (transport, error) = await run([slow, .status(200)], on: clock, total: .seconds(5))
        #expect(errorCode(error) == (isWaiting ? nil : "503"))
        #expect(transport.sent.count == (isWaiting ? 2 : 1))
        #expect(clock.waits == (isWaiting ? [.seconds(1)] : []))
    }
}
