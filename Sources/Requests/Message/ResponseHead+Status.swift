extension ResponseHead {
    /// The status code of a response and its class.
    ///
    /// Specification: RFC 9110 §15.
    public struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code.
        public let rawValue: Int

        /// Creates a status.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The code.
        public var description: String { String(rawValue) }

        /// Whether the status is 100 to 199. The final response follows.
        public var isInformational: Bool { rawValue / 100 == 1 }

        /// Whether the status is 200 to 299.
        public var isSuccess: Bool { rawValue / 100 == 2 }

        /// Whether the status is 300 to 399.
        public var isRedirection: Bool { rawValue / 100 == 3 }

        /// Whether the status is 400 to 499.
        public var isClientError: Bool { rawValue / 100 == 4 }

        /// Whether the status is 500 to 599.
        public var isServerError: Bool { rawValue / 100 == 5 }
    }

    /// The status.
    public var status: Status { Status(rawValue: statusCode) }
}
