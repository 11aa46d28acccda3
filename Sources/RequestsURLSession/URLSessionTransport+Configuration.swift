#if FullFoundation
import Requests
import RequestsClient

extension URLSessionTransport {
    /// The settings of a transport.
    public struct Configuration: Sendable {
        /// The `User-Agent` of requests that have none. `nil` means URLSession's.
        public var userAgent: String? = Field.defaultUserAgent.value

        /// The maximum number of unread bytes of a response body in memory. Default: 32 MiB.
        ///
        /// Above it, the transport stops receiving until the body is read. URLSession on Linux can't stop, so the body
        /// fails with `TransportError.Code.tooLarge`.
        public var maximumBufferedBytes = 32 << 20

        /// The public keys that servers may use, in addition to a trusted certificate. Default: none.
        ///
        /// Not supported on Linux, where creating a transport with pins throws an error.
        public var publicKeyPins: PublicKeyPins = [:]

        /// Creates a configuration with the defaults.
        public init() {}
    }
}
#endif
