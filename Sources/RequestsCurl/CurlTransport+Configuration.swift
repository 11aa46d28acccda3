extension CurlTransport {
    /// What all exchanges of a transport have in common.
    public struct Configuration: Sendable {
        /// How many bytes of a response may wait for their reader before receiving pauses; 256 KiB by default.
        /// Receiving goes on when half of them are left.
        public var highWaterMark = 256 << 10

        /// How the servers of `https` URLs are verified.
        public var tls = TLS()

        /// Creates a configuration with the defaults.
        public init() {}
    }
}
