import Foundation
import RequestsTestSupport
import Testing

@testable import Requests

// Where a call ends: at its commit point, or with a response that isn't accepted.
extension CallMachineTests {
    private static let events: Header = [Field(name: .contentType, value: "text/event-stream")]

    @Test(
        "A call reads up to its commit point, and a response that isn't accepted into memory",
        arguments: [
            (Named("head", CallMachine.Commit.head), "deliver"),
            (Named("end", .end(maximumBytes: 9)), "receive end(maximumBytes: 9)"),
            (Named("file", .file), "receive file"), (Named("first event", .firstElement(.events())), "deliver"),
        ],
        [200, 404]
    )
    func commit(accepted: (commit: Named<CallMachine.Commit>, name: String), status: Int) throws {
        var call = try ScriptedCall(.test()) {
            $0.commit = accepted.commit.value
            $0.maximumBodyBytes = 7
            $0.accepts = { $0.status.isSuccess }
        }
        try call.respond(status)
        #expect(call.name == (status == 200 ? accepted.name : "receive end(maximumBytes: 7)"))
    }

    @Test("The first event of a stream is awaited, and a stream that breaks before it is retried")
    func firstElement() throws {
        var call = try ScriptedCall(.test()) { $0.commit = .firstElement(.events()) }
        try call.respond(200, Self.events)
        #expect(call.name.hasPrefix("receive firstElement"))
        call.tell(.failed(TransportError(code: .truncated, message: "", phase: .receiving)))
        #expect(call.name == "wait 1.0 seconds")
        call.tell(.waited)
        try call.respond(200, Self.events)
        call.tell(.received(bytes: 10))
        #expect(call.history == [])
    }

    @Test("Every response is accepted without a rule")
    func noRule() throws {
        var call = try ScriptedCall(.test()) { $0.commit = .head }
        try call.respond(404)
        #expect(call.history == [])
    }

    @Test("A condition decides about every response, and can retry one that would be accepted")
    func condition() throws {
        var call = try ScriptedCall(.test(.post)) { $0.retries = $0.retries.retrying { _, _ in true } }
        try call.respond(200)
        #expect(call.name == "wait 1.0 seconds")
    }

    @Test("A redirect that isn't followed ends the call with its error")
    func refusedRedirect() throws {
        var call = try ScriptedCall(.test())
        try call.respond(302, [Field(name: .location, value: "http://a.example/")])
        #expect(call.code == "refusedDowngrade")
        var limited = try ScriptedCall(.test()) { $0.redirects = .follow(limit: 1) }
        try limited.respond(302, [Field(name: .location, value: "/1")])
        try limited.respond(302, [Field(name: .location, value: "/2")])
        #expect(limited.code == "redirectLimit")
    }

    @Test("Only downloads are continued")
    func onlyDownloads() throws {
        let file = CallMachine.Resumption(count: 3, validator: "\"1\"")
        let stream = ScriptedCall(try .test(), resuming: file) { $0.commit = .head }
        #expect(stream.sent?.header.isEmpty == true)
        #expect(stream.machine.resumption == nil)
        let download = ScriptedCall(try .test(), resuming: file) { $0.commit = .file }
        #expect(download.sent?.header[.range] == "bytes=3-")
        #expect(download.sent?.header[.ifRange] == "\"1\"")
        #expect(download.sent?.header[.acceptEncoding] == "identity")
    }
}
