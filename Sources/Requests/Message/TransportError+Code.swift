extension TransportError {
    /// A kind of error.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The code's name.
        public var description: String { rawValue }

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
        /// TLS failed for another reason.
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
    public struct Limit: RawRepresentable, Hashable, Sendable {
        /// The limit's name.
        public let rawValue: String

        /// Creates a limit.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

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
    public struct Phase: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The phase's name.
        public let rawValue: String

        /// Creates a phase.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The phase's name.
        public var description: String { rawValue }

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
