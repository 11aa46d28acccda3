#if FullFoundation
import Requests
import RequestsClient

extension URLSessionTransport {
    /// The settings of a ``URLSessionTransport``.
    public struct Configuration: Sendable {
        /// The `User-Agent` of requests that don't set it. `nil` for URLSession's. Default: the library's name and
        /// version.
        public var userAgent: String? = Field.defaultUserAgent.value

        /// The maximum number of unread bytes of a response body to keep in memory. Default: 32 MiB.
        ///
        /// Above it, the transport pauses receiving until the body is read. URLSession on Linux can't pause, so reading
        /// the body fails with `TransportError.Code.tooLarge`.
        public var maximumBufferedBytes = 32 << 20

        /// The public keys to require, by host. A server must also have a trusted certificate. Default: any key.
        ///
        /// Not supported on Linux, where creating a transport with pins throws an error.
        public var publicKeyPins: PublicKeyPins = [:]

        /// Whether the first request to a server may already use HTTP/3, before the server has announced it. Default:
        /// `false`.
        ///
        /// Not supported on Linux, where URLSession has no HTTP/3 and creating such a transport throws an error.
        public var assumesHTTP3Capable = false

        /// Creates a configuration with the defaults.
        public init() {}
    }
}
#endif
