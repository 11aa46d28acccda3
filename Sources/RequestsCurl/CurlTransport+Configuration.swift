import CRequestsCurl
import Requests
import RequestsClient

extension CurlTransport {
    /// The settings of a transport.
    ///
    /// Options that contradict each other, or that the linked libcurl doesn't support, throw when the transport is
    /// made.
    public struct Configuration: Sendable {
        /// The version of HTTP. Default: HTTP/2 if the server supports it.
        public var httpVersion = PreferredVersion.http2

        /// How connections are opened, shared and kept.
        public var connections = Connections()

        /// The proxy. Default: none, whatever the environment says.
        public var proxy = Proxy.none

        /// The IP addresses that may be connected to. Default: all.
        public var addressPolicy = AddressPolicy.any

        /// How the servers of `https` URLs are verified.
        public var tls = TLS()

        /// The content encodings to accept and decode. Default: all that are available.
        public var decompression = Decompression()

        /// The `User-Agent` of requests that don't set it. `nil` sends none. Default: the library's name and version.
        public var userAgent: String? = Field.defaultUserAgent.value

        /// The number of unread bytes of a response body at which receiving pauses. It resumes at half of them.
        /// Default: 256 KiB.
        public var highWaterMark = 256 << 10

        /// Whether the loop waits with epoll if the system has it, or with libcurl's `curl_multi_poll`.
        package var waitsWithEpoll = true

        /// What the version of libcurl does differently.
        var quirks = Quirks.linked

        /// The time that a server gets to send its HTTP/2 settings: some round trips.
        package var settlingTime = Duration.milliseconds(200)

        /// Creates a configuration with the defaults.
        public init() {}
    }

    /// A version of HTTP.
    public struct PreferredVersion: Hashable, Sendable {
        /// libcurl's name for it.
        let option: Int

        /// Only HTTP/1.1 (RFC 9112).
        public static let http1_1 = PreferredVersion(option: crc_http_version_1_1)
        /// HTTP/2 if TLS negotiates it, otherwise HTTP/1.1 (RFC 9113 §3.2).
        public static let http2 = PreferredVersion(option: crc_http_version_2_tls)
        /// Only HTTP/2, with or without TLS, for servers that are known to support it (RFC 9113 §3.3). With libcurl
        /// 7.88, each exchange without TLS uses a new connection.
        public static let http2WithPriorKnowledge = PreferredVersion(option: crc_http_version_2_prior_knowledge)
    }
}

extension CurlTransport.Configuration {
    /// Throws if an option is invalid or contradicts another.
    func validate() throws(TransportError) {
        guard highWaterMark > 0 else { throw .unsupported("highWaterMark is \(highWaterMark); set one byte or more") }
        try Header.check(userAgent: userAgent)
        try connections.validate()
        try tls.validate()
        try decompression.validate()
        if httpVersion == .http2WithPriorKnowledge {
            try LinkedLibcurl.require(.http2, for: "HTTP/2 with prior knowledge")
            guard proxy.isNone else {
                throw .unsupported("http2WithPriorKnowledge doesn't work with a proxy; remove one of them")
            }
        }
        if connections.unixSocket != nil, !addressPolicy.isAny {
            throw .unsupported("addressPolicy can't check connections.unixSocket; remove one of them")
        }
        if connections.unixSocket != nil, !proxy.isNone {
            throw .unsupported("connections.unixSocket can't be combined with proxy; remove one of them")
        }
    }
}
