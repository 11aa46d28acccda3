import Foundation
import RequestsTestSupport
import Testing

@testable import Requests
import RequestsTesting

// Cookies, credentials, and what the caller learns about requests that may have been processed.
extension CallMachineTests {
    private func location(_ url: String) -> Header { [Field(name: .location, value: url)] }

    /// A call with stored cookies for two origins.
    private func call(
        _ own: String?,
        _ authentication: AuthenticationProvider,
        _ change: (inout CallMachine.Settings) -> Void = { _ in }
    ) throws -> ScriptedCall {
        var environment = FixedEnvironment()
        environment.cookies = ["https://a.example": "s=a; own=stored", "https://b.example": "s=b"]
        let header = Header(own.map { [Field(name: .cookie, value: $0)] } ?? [])
        return try ScriptedCall(.test(.get, header), environment: environment) {
            $0.authentication = authentication
            change(&$0)
        }
    }

    private func moving(cookie: String? = nil) -> AuthenticationProvider {
        .signing { request in
            request.url = try RequestURL("https://b.example/moved?key=1")
            if let cookie { request.header.set(Field(name: .cookie, value: cookie)) }
        }
    }

    @Test(
        "A request's own cookies win over stored ones of the same name",
        arguments: [
            (nil, "s=a; own=stored"), ("own=1", "own=1; s=a"), ("s=1", "s=1; own=stored"),
            ("x=1;  own=2", "x=1;  own=2; s=a"),
        ] as [(String?, String)]
    )
    func ownCookies(own: String?, sent: String) throws {
        #expect(try call(own, .inherited).sent?.header[.cookie] == sent)
    }

    @Test(
        "A request that authentication moves to another origin has only cookies of that origin",
        arguments: [nil, "own=1"]
    )
    func movedCookies(own: String?) throws {
        #expect(try call(own, moving()).sent?.header[.cookie] == "s=b")
        #expect(try call(own, moving(cookie: "p=1")).sent?.header[.cookie] == "p=1")
        let header = Header(own.map { [Field(name: .cookie, value: $0)] } ?? [])
        let call = try ScriptedCall(.test(.get, header)) { $0.authentication = moving() }
        #expect(call.sent?.header.contains(.cookie) == false)
    }

    @Test("Cookies of responses are stored for the URL that was sent, and every attempt has the current ones")
    func storedCookies() throws {
        var call = try call(nil, moving())
        try call.respond(503, [Field(name: .setCookie, value: "s=c")])
        #expect(call.environment.cookies == ["https://a.example": "s=a; own=stored", "https://b.example": "s=c"])
        call.tell(.waited)
        #expect(call.sent?.header[.cookie] == "s=c")

        var other = try self.call(nil, .inherited)
        other.environment.cookies = [:]
        try other.respond(503)
        other.tell(.waited)
        #expect(other.sent?.header.contains(.cookie) == false)
    }

    @Test(
        "The answer to a challenge has the cookies that the challenge leaves, but keeps a flow's own",
        arguments: [(nil, "own=1; s=c", "own=1; s=c"), (nil, nil, "own=1"), ("f=1", "s=c", "f=1")]
            as [(String?, String?, String)]
    )
    func challengedCookies(ofFlow: String?, stored: String?, sent: String) throws {
        var call = try call("own=1", ScriptedCall.flow)
        var request = call.machine.outgoing
        if let ofFlow { request.header.set(Field(name: .cookie, value: ofFlow)) }
        call.tell(.authenticated(request))
        call.environment.cookies = stored.map { ["https://a.example": $0.hasPrefix("own") ? "s=c" : $0] } ?? [:]
        try call.respond(401)
        call.tell(.challenged(.sendAgain(request)))
        #expect(call.sent?.header[.cookie] == sent)
    }

    @Test("A redirect is relative to the URL that was sent, without what authentication added to the query")
    func movedRedirect() throws {
        var call = try call(nil, moving())
        try call.respond(302, location("next"))
        #expect(call.machine.request.url.text == "https://b.example/next")

        let signed = AuthenticationProvider.signing { $0.url = try RequestURL("https://a.example/?key=1") }
        call = try self.call(nil, signed)
        try call.respond(302, location(""))
        #expect(call.machine.request.url.text == "https://a.example/")

        let deeper = AuthenticationProvider.signing { $0.url = try RequestURL("https://a.example/folder/file") }
        call = try self.call(nil, deeper)
        try call.respond(302, location("next"))
        #expect(call.machine.request.url.text == "https://a.example/folder/next")
    }

    @Test("A retry begins with the original request, wherever authentication moved it")
    func movedRetry() throws {
        var call = try call(nil, moving())
        try call.respond(200)
        call.tell(.failed(TransportError(code: .truncated, message: "", phase: .receiving)))
        call.tell(.waited)
        #expect(call.machine.request.url.text == "https://a.example/")
    }

    @Test("A flow isn't asked after a redirect to another origin, even when a later one leads back")
    func away() throws {
        var call = try call(nil, ScriptedCall.flow)
        call.tell(.authenticated(call.machine.outgoing))
        try call.respond(302, location("https://b.example/"))
        call.tell(.challenged(.done))
        #expect(call.name == "send")
        try call.respond(302, location("https://a.example/"))
        #expect(call.name == "send")
        try call.respond(401)
        #expect(call.name.hasPrefix("receive"))
    }

    @Test("A provider that fails or builds an invalid request sends nothing")
    func invalid() throws {
        struct Broken: Error {}
        let failing = try call(nil, .signing { _ in throw Broken() })
        #expect(failing.error is Broken)
        let invalid = try call(nil, .signing { $0.header.set(Field(name: "X", value: "a\r\nb")) })
        #expect(invalid.error is RequestError)
        var flow = try call(nil, ScriptedCall.flow) { $0.retries = $0.retries.retrying { _, _ in true } }
        flow.tell(.failed(Broken()))
        #expect(flow.name == "wait 1.0 seconds", "a condition can retry a failed flow")
    }

    @Test(
        "A flow repeats a request after 401, and after other statuses only if that is safe",
        arguments: [(HTTPMethod.post, 401, true), (.post, 403, false), (.get, 403, true)]
    )
    func repetition(method: HTTPMethod, status: Int, isRepeated: Bool) throws {
        var call = try ScriptedCall(.test(method)) { $0.authentication = ScriptedCall.flow }
        call.tell(.authenticated(call.machine.outgoing))
        try call.respond(status)
        var again = call.machine.outgoing
        again.header.set(.authorization("2"))
        call.tell(.challenged(.sendAgain(again)))
        #expect(call.sent?.header[.authorization] == (isRepeated ? "2" : nil))
    }

    @Test("A flow sends at most its number of requests, and no body twice that can be read only once")
    func roundTrips() throws {
        var call = try call(nil, ScriptedCall.flow) { $0.maximumRoundTrips = 3 }
        call.tell(.authenticated(call.machine.outgoing))
        for trip in 1...3 {
            #expect(call.name == "send")
            try call.respond(401)
            call.tell(.challenged(.sendAgain(call.machine.outgoing)))
            #expect(call.name.hasPrefix("receive") == (trip == 3))
        }
        let oneShot = try PreparedRequest.test(.put, body: .oneShot(Data([1])))
        var other = ScriptedCall(oneShot) { $0.authentication = ScriptedCall.flow }
        other.tell(.authenticated(oneShot))
        try other.respond(401)
        other.tell(.challenged(.sendAgain(oneShot)))
        #expect(other.code == "bodyNotReplayable")
    }

    @Test("Each attempt decides by itself whether a flow may repeat its request")
    func attempts() throws {
        var call = try ScriptedCall(.test(.post)) {
            $0.authentication = ScriptedCall.flow
            $0.retries = $0.retries.retrying { _, _ in true }
        }
        call.tell(.authenticated(call.machine.outgoing))
        try call.respond(403)
        call.tell(.challenged(.done))
        call.tell(.waited)
        call.tell(.authenticated(call.machine.outgoing))
        try call.respond(401)
        call.tell(.challenged(.sendAgain(call.machine.outgoing)))
        #expect(call.name == "send")
    }
}
