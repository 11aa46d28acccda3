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

extension TransportError {
    /// A kind of error.
    public struct Code: ErrorCode {
        /// The code's name.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The host's name has no address.
        public static let nameNotResolved = Code(rawValue: "nameNotResolved")
        /// The transport's address policy rejects all addresses of the host. Nothing was sent.
        public static let addressNotAllowed = Code(rawValue: "addressNotAllowed")
        /// No connection could be made.
        public static let cannotConnect = Code(rawValue: "cannotConnect")
        /// A limit of ``Timeouts`` was reached.
        public static func timedOut(_ limit: Limit) -> Code { Code(rawValue: "timedOut(\(limit.rawValue))") }
        /// The server's certificate isn't trusted.
        public static let tlsUntrusted = Code(rawValue: "tlsUntrusted")
        /// TLS failed, but not because of the certificate, for example because no version is shared.
        public static let tlsFailed = Code(rawValue: "tlsFailed")
        /// The server's public key isn't pinned.
        public static let pinMismatch = Code(rawValue: "pinMismatch")
        /// The connection was closed before the response began.
        public static let closed = Code(rawValue: "closed")
        /// The response is incomplete.
        public static let truncated = Code(rawValue: "truncated")
        /// The response isn't HTTP, or contradicts itself.
        public static let malformed = Code(rawValue: "malformed")
        /// The body's content encoding couldn't be decoded.
        public static let decoding = Code(rawValue: "decoding")
        /// A part of the response is larger than its limit.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The source of the request's body failed.
        public static let sourceFailed = Code(rawValue: "sourceFailed")
        /// The proxy couldn't be used.
        public static let proxy = Code(rawValue: "proxy")
        /// The transport doesn't support an option of the request. Nothing was sent.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The system has no memory for the request or its response.
        public static let outOfMemory = Code(rawValue: "outOfMemory")
        /// The transport was shut down.
        public static let shutdown = Code(rawValue: "shutdown")
    }

    /// One of the ``Timeouts``.
    public struct Limit: ErrorCode {
        /// The name of the timeout.
        public let rawValue: String

        /// Creates the name of a timeout.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The limit that ``Timeouts/connect`` sets.
        public static let connect = Limit(rawValue: "connect")
        /// The limit that ``Timeouts/idle`` sets.
        public static let idle = Limit(rawValue: "idle")
        /// The limit that ``Timeouts/attempt`` sets.
        public static let attempt = Limit(rawValue: "attempt")
        /// The limit that ``Timeouts/total`` sets.
        public static let total = Limit(rawValue: "total")
    }

    /// How far an attempt got.
    public struct Phase: ErrorCode {
        /// The phase's name.
        public let rawValue: String

        /// Creates a phase.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Before a connection was requested.
        public static let preparing = Phase(rawValue: "preparing")
        /// During name resolution, connecting or the TLS handshake.
        public static let connecting = Phase(rawValue: "connecting")
        /// From the first byte of the request to the first byte of the response.
        public static let sending = Phase(rawValue: "sending")
        /// From the first byte of the response on.
        public static let receiving = Phase(rawValue: "receiving")
    }
}
