import Foundation
import Requests
import Testing

@Suite("An error of a transport", .timeLimit(.minutes(5)))
struct TransportErrorTests {
    @Test("is printed as its code and message, everywhere the same")
    func description() {
        let error = TransportError(code: .closed, message: "h closed the connection", phase: .sending)
        #expect(error.description == "closed: h closed the connection")
        #expect(error.localizedDescription == error.description)
        #expect(error.errorDescription == error.description)
    }

    @Test(
        "says that the server may have acted on the request once a byte of it may have been sent",
        arguments: [(.preparing, false), (.connecting, false), (.sending, true), (.receiving, true)]
            as [(TransportError.Phase, Bool)]
    )
    func processed(phase: TransportError.Phase, mayHaveBeen: Bool) {
        #expect(TransportError(code: .closed, message: "", phase: phase).requestMayHaveBeenProcessed == mayHaveBeen)
    }

    @Test(
        "has an open set of codes, each with a name of its own",
        arguments: [
            (.nameNotResolved, "nameNotResolved"), (.cannotConnect, "cannotConnect"),
            (.timedOut(.connect), "timedOut(connect)"),
            (.timedOut(.idle), "timedOut(idle)"), (.timedOut(.total), "timedOut(total)"),
            (.tlsUntrusted, "tlsUntrusted"),
            (.tlsFailed, "tlsFailed"), (.pinMismatch, "pinMismatch"), (.closed, "closed"), (.truncated, "truncated"),
            (.malformed, "malformed"), (.decoding, "decoding"), (.tooLarge, "tooLarge"),
            (.sourceFailed, "sourceFailed"),
            (.proxy, "proxy"), (.unsupported, "unsupported"), (.shutDown, "shutDown"),
        ] as [(TransportError.Code, String)]
    )
    func codes(code: TransportError.Code, name: String) {
        #expect(code.description == name)
        #expect(TransportError.Code(rawValue: name) == code)
    }

    @Test("of something unsupported says that nothing was sent")
    func unsupported() {
        let error = TransportError.unsupported("no")
        #expect(error.code == .unsupported)
        #expect(!error.requestMayHaveBeenProcessed)
        #expect(TransportError.shutDown(phase: .receiving).code == .shutDown)
        #expect(TransportError.shutDown(phase: .receiving).requestMayHaveBeenProcessed)
    }

    @Test("does not show the error of the layer below to `dump`: it may say what is secret")
    func dumped() {
        let below = NSError(domain: "c4nary", code: 1)
        let error = TransportError(code: .closed, message: "m", phase: .sending, underlying: below)
        var text = String(reflecting: error)
        dump(error, to: &text)
        #expect(!text.contains("c4nary"))
        #expect(text.contains("closed"))
    }

    @Test("keeps the error of the layer below")
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
