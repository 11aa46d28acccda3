import Foundation
import RequestsTestSupport
import Testing

@testable import Requests
import RequestsTesting

// What the error of a call tells about its requests.
extension CallMachineTests {
    private struct Broken: Error {}

    /// Returns whether the last of several attempts, which fails before it is sent, counts as processed.
    private func isProcessed(
        _ request: PreparedRequest,
        _ change: (inout CallMachine.Settings) -> Void = { _ in },
        after script: (inout ScriptedCall) throws -> Void
    ) throws -> Bool? {
        var call = ScriptedCall(request, resuming: CallMachine.Resumption(count: 3, validator: "\"1\"")) { settings in
            settings.retries = .fixed(.seconds(1), limit: 2)
            change(&settings)
        }
        try script(&call)
        if case .wait = call.action { call.tell(.waited) }
        if case .authenticate(let request) = call.action { call.tell(.authenticated(request)) }
        call.environment.budget = 0
        call.fail(.cannotConnect)
        return (call.error as? TransportError)?.requestMayHaveBeenProcessed
    }

    @Test("An error tells whether any attempt may have been processed")
    func processed() throws {
        let get = try PreparedRequest.test()
        #expect(try isProcessed(get, after: { _ in }) == false)
        #expect(try isProcessed(get, after: { try $0.respond(503) }) == true)
        #expect(try isProcessed(get, after: { $0.fail(.cannotConnect) }) == false)
        #expect(try isProcessed(get, after: { $0.fail(.closed, isSending: true) }) == true)
        let redirect: Header = [Field(name: .location, value: "/next")]
        #expect(try isProcessed(get, after: { try $0.respond(302, redirect) }) == true)
        #expect(
            try isProcessed(
                get,
                after: {
                    $0.fail(.closed, isSending: true)
                    $0.tell(.waited)
                    $0.fail(.cannotConnect)
                }
            ) == true
        )
        let always = try isProcessed(
            get,
            { $0.retries = $0.retries.retrying { _, _ in true } },
            after: { $0.tell(.failed(Broken())) }
        )
        #expect(always == true)
    }

    @Test("A challenge counts as processed unless it is a 401", arguments: [(401, false), (403, true)])
    func processedChallenge(status: Int, expected: Bool) throws {
        let isProcessed = try isProcessed(
            .test(),
            { $0.authentication = ScriptedCall.flow },
            after: { call in
                call.tell(.authenticated(call.machine.outgoing))
                try call.respond(status)
                call.tell(.challenged(.sendAgain(call.machine.outgoing)))
            }
        )
        #expect(isProcessed == expected)
    }

    @Test("The earlier parts and versions of a download count as processed")
    func processedParts() throws {
        let part: Header = [Field(name: "Content-Range", value: "bytes 3-4/9"), Field(name: .eTag, value: "\"1\"")]
        let continued = try isProcessed(
            .test(),
            { $0.commit = .file },
            after: { call in
                try call.respond(206, part)
                call.tell(.received(bytes: 2))
            }
        )
        #expect(continued == true)
        let other: Header = [Field(name: "Content-Range", value: "bytes 3-4/9"), Field(name: .eTag, value: "\"2\"")]
        #expect(try isProcessed(.test(), { $0.commit = .file }, after: { try $0.respond(206, other) }) == true)
    }

    @Test("An error tells the number of attempts")
    func attemptsInMessage() throws {
        var call = try ScriptedCall(.test())
        for _ in 0..<2 {
            call.fail(.cannotConnect)
            call.tell(.waited)
        }
        call.fail(.cannotConnect)
        #expect((call.error as? TransportError)?.message == "broken, after 3 attempts")
    }

    @Test("The budget is asked last, and only for a retry that would happen")
    func budget() throws {
        let oneShot = RequestBody.oneShot(Data([1]))
        for request in try [PreparedRequest.test(.post), .test(.put, body: oneShot)] {
            var call = ScriptedCall(request)
            try call.respond(503)
            #expect(call.environment.claims == 0)
        }
        var late = try ScriptedCall(.test()) { $0.total = .seconds(1) }
        try late.respond(503)
        #expect(late.environment.claims == 0)
        var environment = FixedEnvironment()
        environment.budget = 1
        var call = try ScriptedCall(.test(), environment: environment)
        try call.respond(503)
        call.tell(.waited)
        #expect(call.environment.claims == 1)
        try call.respond(503)
        #expect(call.environment.claims == 2)
        #expect(call.name.hasPrefix("receive"))
    }

    @Test("A repetition needs a body that can be read again, time, and budget")
    func mayRepeat() throws {
        var settings = CallMachine.Settings()
        settings.total = .seconds(5)
        var environment = FixedEnvironment()
        environment.budget = 1
        let oneShot = RequestBody.oneShot(Data([1]))
        #expect(try !settings.mayRepeat(.test(.put, body: oneShot), after: .zero, in: &environment))
        #expect(try !settings.mayRepeat(.test(), after: .seconds(5), in: &environment))
        #expect(try settings.mayRepeat(.test(), after: .seconds(4), in: &environment))
        #expect(try !settings.mayRepeat(.test(), after: .zero, in: &environment))
    }
}
