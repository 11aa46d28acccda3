import Foundation
import Requests
import Testing

@Suite("Transport errors", .timeLimit(.minutes(5)))
struct TransportErrorTests {
    @Test("The code and the message are printed the same way everywhere")
    func description() {
        let error = TransportError(code: .closed, message: "h closed the connection", phase: .sending)
        #expect(error.description == "closed: h closed the connection")
        #expect(error.localizedDescription == error.description)
        #expect(error.errorDescription == error.description)
    }

    @Test(
        "The request may have been processed once a byte of it may have been sent",
        arguments: [(.preparing, false), (.connecting, false), (.sending, true), (.receiving, true)]
            as [(TransportError.Phase, Bool)]
    )
    func processed(phase: TransportError.Phase, mayHaveBeen: Bool) {
        #expect(TransportError(code: .closed, message: "", phase: phase).requestMayHaveBeenProcessed == mayHaveBeen)
    }

    @Test(
        "Codes are an open set with unique names",
        arguments: [
            (.nameNotResolved, "nameNotResolved"), (.cannotConnect, "cannotConnect"),
            (.addressNotAllowed, "addressNotAllowed"),
            (.timedOut(.connect), "timedOut(connect)"),
            (.timedOut(.idle), "timedOut(idle)"), (.timedOut(.total), "timedOut(total)"),
            (.tlsUntrusted, "tlsUntrusted"),
            (.tlsFailed, "tlsFailed"), (.pinMismatch, "pinMismatch"), (.closed, "closed"), (.truncated, "truncated"),
            (.malformed, "malformed"), (.decoding, "decoding"), (.tooLarge, "tooLarge"),
            (.sourceFailed, "sourceFailed"),
            (.proxy, "proxy"), (.unsupported, "unsupported"), (.shutdown, "shutdown"),
        ] as [(TransportError.Code, String)]
    )
    func codes(code: TransportError.Code, name: String) {
        #expect(code.description == name)
        #expect(TransportError.Code(rawValue: name) == code)
    }

    @Test("An error for an unsupported option says that nothing was sent")
    func unsupported() {
        let error = TransportError.unsupported("no")
        #expect(error.code == .unsupported)
        #expect(!error.requestMayHaveBeenProcessed)
        #expect(TransportError.shutdown(phase: .receiving).code == .shutdown)
        #expect(TransportError.shutdown(phase: .receiving).requestMayHaveBeenProcessed)
    }

    @Test("`dump` doesn't show the underlying error, which may contain secrets")
    func dumped() {
        let below = NSError(domain: "c4nary", code: 1)
        let error = TransportError(code: .closed, message: "m", phase: .sending, underlying: below)
        var text = String(reflecting: error)
        dump(error, to: &text)
        #expect(!text.contains("c4nary"))
        #expect(text.contains("closed"))
    }

    @Test("The underlying error is kept")
    func underlying() {
        let error = TransportError(
            code: .sourceFailed,
            message: "",
            phase: .sending,
            underlying: CocoaError(.fileNoSuchFile)
        )
        #expect((error.underlying as? CocoaError)?.code == .fileNoSuchFile)
    }
}
