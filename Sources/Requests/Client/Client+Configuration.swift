extension Client {
    /// What all requests of a client have in common.
    public struct Configuration: Sendable {
        /// Fields below the request's own: one of the request's replaces those of its name. None by default.
        public var header: Header = .empty

        /// How long to wait where the request does not say. No limits by default: the transport's own apply.
        public var timeouts = Timeouts()

        /// Whether a response is worth decoding; by default a status of 200 to 299. What is not becomes
        /// ``ResponseError/Code/status``.
        public var validation: @Sendable (ResponseHead) -> Bool = { (200..<300).contains($0.statusCode) }

        /// How large a body may be that is read into memory, in bytes; 64 MiB by default.
        public var maximumBodyBytes = 64 << 20

        /// Creates a configuration with the defaults.
        public init() {}
    }
}
