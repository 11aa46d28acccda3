extension TransportError {
    /// A kind of fault.
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
        /// No connection could be made.
        public static let cannotConnect = Code(rawValue: "cannotConnect")
        /// A limit of ``Timeouts`` was reached.
        public static func timedOut(_ limit: Limit) -> Code { Code(rawValue: "timedOut(\(limit.rawValue))") }
        /// The server's certificate is not trusted.
        public static let tlsUntrusted = Code(rawValue: "tlsUntrusted")
        /// TLS failed for another reason than trust.
        public static let tlsFailed = Code(rawValue: "tlsFailed")
        /// The server's public key is not one of the pinned ones.
        public static let pinMismatch = Code(rawValue: "pinMismatch")
        /// The connection was closed before the response began.
        public static let closed = Code(rawValue: "closed")
        /// The response was cut short.
        public static let truncated = Code(rawValue: "truncated")
        /// The response is not HTTP, or contradicts itself.
        public static let malformed = Code(rawValue: "malformed")
        /// The body could not be decoded from its content coding.
        public static let decoding = Code(rawValue: "decoding")
        /// A part of the response is larger than the limit for it.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The source of the request's body failed.
        public static let sourceFailed = Code(rawValue: "sourceFailed")
        /// The proxy could not be used.
        public static let proxy = Code(rawValue: "proxy")
        /// The request asks for something that the transport cannot do. Nothing was sent.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The transport was shut down.
        public static let shutDown = Code(rawValue: "shutDown")
    }

    /// One of the ``Timeouts``.
    public struct Limit: RawRepresentable, Hashable, Sendable {
        /// The limit's name.
        public let rawValue: String

        /// Creates a limit.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// ``Timeouts/connect``.
        public static let connect = Limit(rawValue: "connect")
        /// ``Timeouts/idle``.
        public static let idle = Limit(rawValue: "idle")
        /// ``Timeouts/total``.
        public static let total = Limit(rawValue: "total")
    }

    /// How far an exchange had come.
    public struct Phase: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The phase's name.
        public let rawValue: String

        /// Creates a phase.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The phase's name.
        public var description: String { rawValue }

        /// Before a connection was asked for.
        public static let preparing = Phase(rawValue: "preparing")
        /// While resolving the name, connecting or securing the connection.
        public static let connecting = Phase(rawValue: "connecting")
        /// From the first byte of the request to the first byte of the response.
        public static let sending = Phase(rawValue: "sending")
        /// From the first byte of the response on.
        public static let receiving = Phase(rawValue: "receiving")
    }
}
