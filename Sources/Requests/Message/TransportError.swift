import Foundation

/// An exchange that failed: the same fault has the same code on every transport.
public struct TransportError: QuotableError, Sendable {
    /// The kind of fault.
    public let code: Code

    /// What failed, on what, and what to do, in one line without secrets.
    public let message: String

    /// How far the exchange had come.
    public let phase: Phase

    /// The error of the layer below, where it has one.
    public let underlying: (any Error)?

    /// Whether the server may have acted on an earlier exchange of the same call.
    private var followsAnother = false

    /// Whether the server may have acted on the request, in this exchange or in an earlier one of the same call: whether
    /// sending it again could do a thing twice.
    public var requestMayHaveBeenProcessed: Bool { phase == .sending || phase == .receiving || followsAnother }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of fault.
    ///   - message: What failed, on what, and what to do, in one line without secrets.
    ///   - phase: How far the exchange had come.
    ///   - underlying: The error of the layer below.
    public init(code: Code, message: String, phase: Phase, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.phase = phase
        self.underlying = underlying
    }
}

extension TransportError: CustomStringConvertible, CustomReflectable, LocalizedError {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// Without the error of the layer below, which may say what is secret.
    public var customMirror: Mirror { Mirror(self, children: ["code": code, "message": message, "phase": phase]) }
}

extension TransportError {
    /// The refusal of what a transport cannot do, before anything is sent.
    ///
    /// - Parameter what: What it cannot do, and what to ask for instead, in one line without secrets.
    public static func unsupported(_ what: String) -> TransportError {
        TransportError(code: .unsupported, message: what, phase: .preparing)
    }

    /// An error for the caller, where the server may have acted on an exchange before the one that failed.
    static func followingAnother(_ error: any Error) -> any Error {
        guard var error = error as? TransportError else { return error }
        error.followsAnother = true
        return error
    }

    package static func shutDown(phase: Phase) -> TransportError {
        TransportError(code: .shutDown, message: "the transport was shut down; make a new one", phase: phase)
    }
}
