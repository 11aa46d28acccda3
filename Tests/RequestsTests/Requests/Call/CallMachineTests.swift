import Foundation
import RequestsTestSupport
import Testing

@testable import Requests
import RequestsTesting

@Suite("The machine of a call", .timeLimit(.minutes(5)))
struct CallMachineTests {
    /// One event of each kind.
    private func events() throws -> [String: CallMachine.Event] {
        let head = try ResponseHead(statusCode: 200, url: RequestURL("https://a.example/"))
        return try [
            "begin": .begin, "authenticated": .authenticated(.test()), "response": .response(head),
            "challenged": .challenged(.done), "received": .received(bytes: 1), "discarded": .discarded,
            "waited": .waited,
        ]
    }

    /// A machine in each state, by the event that it waits for.
    private func machines() throws -> [String: CallMachine] {
        var settings = CallMachine.Settings()
        settings.authentication = ScriptedCall.flow
        settings.retries = .fixed(.seconds(1), limit: 2)
        var environment = FixedEnvironment()
        var machine = try CallMachine(.test(), settings)
        var machines = ["begin": machine]
        func tell(_ event: CallMachine.Event, next: String) {
            _ = machine.next(event, in: &environment)
            machines[next] = machine
        }
        let unavailable = try ResponseHead(statusCode: 503, url: machine.request.url)
        let head = try ResponseHead(statusCode: 200, url: machine.request.url)
        tell(.begin, next: "authenticated")
        tell(.authenticated(machine.request), next: "response")
        tell(.response(unavailable), next: "challenged")
        tell(.challenged(.done), next: "discarded")
        tell(.discarded, next: "waited")
        tell(.waited, next: "authenticated")
        tell(.authenticated(machine.request), next: "response")
        tell(.response(head), next: "challenged")
        tell(.challenged(.done), next: "received")
        tell(.received(bytes: 1), next: "nothing")
        return machines
    }

    @Test("An event that doesn't belong to the last action ends the call")
    func order() throws {
        for (state, machine) in try machines() {
            for (name, event) in try events() where name != state {
                var (machine, environment) = (machine, FixedEnvironment())
                let action = machine.next(event, in: &environment)
                guard case .fail(let error as ClientError) = action, error.code == .unexpectedEvent else {
                    Issue.record("\(name) instead of \(state): \(action)")
                    continue
                }
                // An ended call stays ended, even for an error that is retried.
                for event in try events().values {
                    guard case .fail = machine.next(event, in: &environment) else {
                        Issue.record("went on after its failure")
                        continue
                    }
                }
            }
        }
    }

    @Test("An error is retried while a request is sent or received, and ends the call in other states")
    func failures() throws {
        let error = TransportError(code: .cannotConnect, message: "", phase: .connecting)
        let states = try machines().filter { _, machine in
            var (machine, environment) = (machine, FixedEnvironment())
            let action = machine.next(.failed(error), in: &environment)
            if case .fail(let error) = action { #expect(CallWorld.code(of: error) == "cannotConnect") }
            if case .wait = action { return true } else { return false }
        }
        #expect(states.keys.sorted() == ["authenticated", "challenged", "received", "response"])
    }

    @Test("The history contains redirects, challenges and refused expectations, without retried responses")
    func history() throws {
        var call = try ScriptedCall(.test(.get, [Field(name: "Expect", value: "x")])) {
            $0.authentication = ScriptedCall.flow
        }
        func attempt(_ statuses: Int..., header: Header = []) throws {
            call.tell(.authenticated(call.machine.outgoing))
            for status in statuses {
                try call.respond(status, header)
                guard call.name == "challenge" else { continue }
                call.tell(.challenged(status == 401 ? .sendAgain(call.machine.outgoing) : .done))
            }
        }
        try attempt(401, 417)
        #expect(call.name == "authenticate")
        try attempt(401, 503)
        call.tell(.waited)
        #expect(call.machine.attempt == 2)
        try attempt(401, 302, header: [Field(name: .location, value: "/next")])
        #expect(call.machine.attempt == 1)
        try attempt(401, 200)
        call.tell(.received(bytes: 0))
        #expect(call.history == [401, 417, 401, 302, 401])
    }

    @Test("417 repeats a request with `Expect` and a body that can be read again, once and without it")
    func expectation() throws {
        let expect: Header = [Field(name: "Expect", value: "x")]
        var call = try ScriptedCall(.test(.put, expect, body: .data(Data([1]))))
        try call.respond(417)
        #expect(call.sent?.header.isEmpty == true)
        #expect(call.discards == [.milliseconds(250)])
        try call.respond(417)
        #expect(call.name.hasPrefix("receive"))
        var other = try ScriptedCall(.test(.put, expect, body: .data(Data([1]))))
        try other.respond(404)
        #expect(other.name.hasPrefix("receive"))
        var oneShot = try ScriptedCall(.test(.put, expect, body: .oneShot(Data([1]))))
        try oneShot.respond(417)
        #expect(oneShot.name.hasPrefix("receive"))
    }

    @Test(
        "Discarding ends before the wait and the deadline",
        arguments: [(nil, 250, 1), (10_000, 250, 1), (1_100, 100, 1), (900, nil, 1), (1_000, nil, 1), (200, 200, 0)]
            as [(Int?, Int?, Int)]
    )
    func draining(total: Int?, expected: Int?, wait: Int) throws {
        var call = try ScriptedCall(.test()) {
            $0.total = total.map { .milliseconds($0) }
            $0.retries = .fixed(.seconds(wait), limit: 1)
        }
        try call.respond(503)
        #expect(call.discards == (expected.map { [.milliseconds($0)] } ?? []))
    }

    @Test("Discarding is limited to 64 KiB, and takes no negative time")
    func drainedBytes() throws {
        var environment = FixedEnvironment()
        var settings = CallMachine.Settings()
        settings.total = .seconds(1)
        var machine = try CallMachine(.test(), settings)
        _ = machine.next(.begin, in: &environment)
        environment.elapsed = .seconds(2)
        let head = try ResponseHead(
            statusCode: 302,
            header: [Field(name: .location, value: "/next")],
            url: machine.request.url
        )
        guard case .discard(upTo: 65_536, within: .zero) = machine.next(.response(head), in: &environment) else {
            Issue.record("another action")
            return
        }
        guard case .fail = machine.next(.discarded, in: &environment) else {
            Issue.record("the redirect was followed after the deadline")
            return
        }
    }

    @Test("A call ends at its deadline, and a wait that is too late returns the last outcome")
    func deadline() throws {
        var call = try ScriptedCall(.test()) { $0.total = .seconds(5) }
        try call.respond(503)
        #expect(call.name == "wait 1.0 seconds")
        call.environment.elapsed = .seconds(5)
        call.tell(.waited)
        #expect(call.code == "503")

        var slow = try ScriptedCall(.test()) { $0.total = .seconds(5) }
        slow.environment.elapsed = .seconds(4)
        slow.fail(.cannotConnect)
        #expect(slow.code == "cannotConnect", "a wait up to the deadline is too long")

        var late = ScriptedCall(try .test(), environment: FixedEnvironment(elapsed: .seconds(5))) {
            $0.total = .seconds(5)
            $0.authentication = ScriptedCall.flow
        }
        #expect(late.code == "timedOut(total)")
        late = ScriptedCall(try .test(), environment: FixedEnvironment(elapsed: .seconds(5))) { $0.total = .seconds(6) }
        guard case .send(_, within: .seconds(1)) = late.action else {
            Issue.record("sent without the remaining time")
            return
        }
        let endless = ScriptedCall(try .test()) { $0.total = .seconds(Int64.max) }
        guard case .send(_, within: Timeouts.unlimited) = endless.action else {
            Issue.record("an endless total is longer than the transports' maximum")
            return
        }
    }

    @Test(
        "There is no wait if discarding the response leaves too little time",
        arguments: [(3, true), (4, false), (5, false)]
    )
    func slowDiscarding(seconds: Int, isWaiting: Bool) throws {
        var call = try ScriptedCall(.test()) { $0.total = .seconds(5) }
        call.discardTime = .seconds(seconds)
        try call.respond(503)
        #expect(call.name == (isWaiting ? "wait 1.0 seconds" : "fail"))
        #expect(call.code == (isWaiting ? nil : "503"))
    }
}
