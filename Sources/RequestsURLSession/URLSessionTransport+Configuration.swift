import Requests

extension URLSessionTransport {
    /// What all exchanges of a transport have in common.
    public struct Configuration: Sendable {
        /// The `User-Agent` of requests that have none; `nil` for the one of URLSession.
        public var userAgent: String? = Field.defaultUserAgent.value

        /// How many bytes of a response may wait for their reader; 32 MiB by default.
        ///
        /// Where URLSession can stop receiving it does. On Linux it cannot: a response whose reader falls further
        /// behind ends with `TransportError.Code.tooLarge`.
        public var maximumBufferedBytes = 32 << 20

        /// The public keys that servers may have, beyond being trusted; none by default.
        ///
        /// On Linux URLSession shows no key: a transport with pins is refused there.
        public var publicKeyPins: PublicKeyPins = [:]

        /// Creates a configuration with the defaults.
        public init() {}
    }
}
