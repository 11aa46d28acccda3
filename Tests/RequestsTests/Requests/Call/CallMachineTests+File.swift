import Foundation
import RequestsTestSupport
import Testing

@testable import Requests
import RequestsTesting

// Downloads in one part or in several.
extension CallMachineTests {
    private static let tag = Field(name: .eTag, value: "\"1\"")
    private static func range(_ value: String) -> Field { Field(name: "Content-Range", value: value) }

    private func download(
        _ request: PreparedRequest,
        count: Int64 = 3,
        _ change: (inout CallMachine.Settings) -> Void = { _ in }
    ) -> ScriptedCall {
        ScriptedCall(request, resuming: .init(count: count, validator: "\"1\"")) {
            $0.commit = .file
            $0.accepts = { $0.statusCode == 200 }
            change(&$0)
        }
    }

    @Test("A download continues part by part, and small parts count as retries")
    func parts() throws {
        var call = try download(.test())
        for (start, name) in [(3, "send"), (4, "wait 1.0 seconds"), (5, "wait 1.0 seconds"), (6, "fail")] {
            #expect(call.sent?.header[.range] == "bytes=\(start)-")
            try call.respond(206, [Self.tag, Self.range("bytes \(start)-\(start)/99")])
            #expect(call.name == "receive file")
            call.tell(.received(bytes: 1))
            #expect(call.name == name)
            if case .wait = call.action { call.tell(.waited) }
        }
        #expect(call.code == "truncated")
    }

    @Test("A download that breaks continues with the bytes that arrived, but not after an error of the file")
    func broken() throws {
        var call = try download(.test())
        try call.respond(206, [Self.tag, Self.range("bytes 3-8/9")])
        call.tell(.failed(TransportError(code: .truncated, message: "", phase: .receiving), receivedBytes: 2))
        call.tell(.waited)
        #expect(call.sent?.header[.range] == "bytes=5-")
        try call.respond(206, [Self.tag, Self.range("bytes 5-8/9")])
        call.tell(.received(bytes: 4))
        #expect(call.history == [])

        var full = try download(.test()) { $0.retries = $0.retries.retrying { _, _ in true } }
        full.machine.state = .receiving(.file)
        full.tell(.failed(CocoaError(.fileWriteOutOfSpace), receivedBytes: 2))
        #expect(full.error is CocoaError)
    }

    @Test("Another version, or an unrequested part, isn't added to the file")
    func versions() throws {
        var call = try download(.test())
        try call.respond(206, [Self.range("bytes 3-8/9"), Field(name: .eTag, value: "\"2\"")])
        #expect(call.sent?.header.contains(.range) == false)
        try call.respond(206, [Self.tag, Self.range("bytes 3-8/9")])
        #expect(call.name == "receive end(maximumBytes: 67108864)", "validation sees the 206 that wasn't asked for")
        var lenient = try download(.test(), count: 0) { $0.accepts = nil }
        try lenient.respond(206, [Self.tag, Self.range("bytes 3-8/9")])
        #expect(lenient.code == "downloadFailed")
        var decoded = try download(.test()) { $0.authentication = ScriptedCall.flow }
        decoded.tell(.authenticated(decoded.machine.outgoing))
        try decoded.respond(206, [Self.tag, Self.range("bytes 3-8/9")], isDecoded: true)
        decoded.tell(.challenged(.done))
        #expect(decoded.name == "authenticate", "a part that the transport decoded isn't added, either")
        var short = try download(.test())
        try short.respond(206, [Self.tag, Self.range("bytes 3-8/9")])
        short.tell(.received(bytes: 4))
        #expect(short.code == "downloadFailed")
    }

    @Test("A request that isn't repeatable, or whose body is gone, gets neither another version nor another part")
    func unrepeatable() throws {
        let oneShot = RequestBody.oneShot(Data([1]))
        for request in try [PreparedRequest.test(.post), .test(.put, body: oneShot)] {
            var call = download(request)
            try call.respond(206, [Self.tag, Self.range("bytes 3-3/9")])
            call.tell(.received(bytes: 1))
            #expect(call.code == "downloadFailed")
            call = download(request)
            try call.respond(206, [Self.range("bytes 3-8/9"), Field(name: .eTag, value: "\"2\"")])
            #expect(call.code == "downloadFailed")
        }
    }

    @Test("The next part isn't requested after the deadline, which is the error", arguments: [70_000, 1])
    func latePart(bytes: Int64) throws {
        var call = try download(.test()) { $0.total = .seconds(5) }
        // The first small part is no retry.
        for (start, elapsed) in [(3, 0), (3 + bytes, 5)] {
            try call.respond(206, [Self.tag, Self.range("bytes \(start)-\(start + bytes - 1)/999999")])
            call.environment.elapsed = .seconds(elapsed)
            call.tell(.received(bytes: bytes))
        }
        #expect(call.code == "timedOut(total)")
        #expect(call.environment.claims == 0)
    }

    @Test("A file that isn't resumed is complete with one response")
    func single() throws {
        var call = try ScriptedCall(.test()) { $0.commit = .file }
        #expect(call.machine.resumption?.validator == nil)
        try call.respond(200, [Self.tag])
        call.tell(.received(bytes: 5))
        #expect(call.history == [])
        #expect(call.machine.resumption?.count == 5)
    }
}
