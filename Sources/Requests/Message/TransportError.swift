/// An attempt that failed. The same fault has the same code on every transport.
public struct TransportError: QuotableError, Sendable {
    /// The kind of error.
    public let code: Code

    /// What failed, on what, and what to do, in one line without secrets.
    public private(set) var message: String

    /// How far the attempt got.
    public let phase: Phase

    /// The error of the layer below, if there is one.
    public let underlying: (any Error)?

    /// Whether the server may have acted on the request, so that sending it again could repeat a side effect.
    ///
    /// A client also counts earlier attempts of the same call.
    public package(set) var requestMayHaveBeenProcessed: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: What failed, on what, and what to do, in one line without secrets.
    ///   - phase: How far the attempt got.
    ///   - underlying: The error of the layer below.
    public init(code: Code, message: String, phase: Phase, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.phase = phase
        self.underlying = underlying
        requestMayHaveBeenProcessed = phase == .sending || phase == .receiving
    }
}

extension TransportError: CustomStringConvertible, CustomReflectable, LocalizedError {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// Omits the underlying error, which may contain secrets.
    public var customMirror: Mirror { Mirror(self, children: ["code": code, "message": message, "phase": phase]) }
}

extension TransportError {
    /// Whether a time limit of ``Timeouts`` was reached.
    public var isTimeout: Bool {
        [Limit.connect, .idle, .attempt, .total].contains { code == .timedOut($0) }
    }

    /// Returns the error with the number of attempts in its message, if there was more than one.
    package func naming(attempts: Int) -> TransportError {
        var copy = self
        if attempts > 1 { copy.message += ", after \(attempts) attempts" }
        return copy
    }

    /// The error for an option that a transport doesn't support. Nothing was sent.
    ///
    /// - Parameter message: What isn't supported and what to do instead, in one line without secrets.
    public static func unsupported(_ message: String) -> TransportError {
        TransportError(code: .unsupported, message: message, phase: .preparing)
    }

    package static func shutdown(phase: Phase) -> TransportError {
        TransportError(code: .shutdown, message: "the transport was shut down; make a new one", phase: phase)
    }
}
