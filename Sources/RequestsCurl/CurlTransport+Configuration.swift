#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient

extension CurlTransport {
    /// The settings of a ``CurlTransport``.
    ///
    /// Creating a transport throws if options contradict each other, or if the linked libcurl doesn't support one.
    public struct Configuration: Sendable {
        /// The HTTP version to use. Default: ``PreferredVersion/http2``, which falls back to HTTP/1.1.
        public var httpVersion = PreferredVersion.http2

        /// The options for opening, sharing and keeping connections.
        public var connections = Connections()

        /// The proxy. Default: none, even if the environment's variables name one.
        public var proxy = Proxy.none

        /// The IP addresses that the transport may connect to. Default: all.
        public var addressPolicy = AddressPolicy.any

        /// How servers of `https` URLs are verified. Default: with the system's certificate authorities.
        public var tls = TLS()

        /// The content encodings to accept and decode. Default: all that this process has libraries for.
        public var decompression = Decompression()

        /// The `User-Agent` of requests that don't set it. `nil` sends none. Default: the library's name and version.
        public var userAgent: String? = Field.defaultUserAgent.value

        /// The number of unread bytes of a response body at which receiving pauses. It resumes at half of this number.
        /// Default: 256 KiB.
        public var highWaterMark = 256 << 10

        /// The time that the body of a request with `Expect: 100-continue` waits for the server to ask for it. Then it
        /// is sent anyway, because the server may not know the field (RFC 9110 §10.1.1). Default: 1 second.
        public var continueTimeout: Duration = .seconds(1)

        /// Whether the event loop waits with epoll. If not, or if the system has no epoll, it uses `curl_multi_poll`.
        package var waitsWithEpoll = true

        /// The peculiarities of a version of libcurl. Default: the version that the process uses.
        var quirks = Quirks.linked

        /// The time to wait for a new HTTP/2 connection's settings before more requests use it. Default: 200 ms.
        package var settlingTime = Duration.milliseconds(200)

        /// The time for each address of a host to accept a connection before the next one is tried. Default: 2 s.
        package var timePerAddress = Duration.seconds(2)

        /// Creates a configuration with the defaults.
        public init() {}
    }

    /// A version of HTTP.
    public struct PreferredVersion: Hashable, Sendable {
        let option: Int
        let name: String

        /// Only HTTP/1.1 (RFC 9112).
        public static let http1_1 = PreferredVersion(option: crc_http_version_1_1, name: "HTTP/1.1")
        /// HTTP/2 if the server agrees to it in the TLS handshake (RFC 9113 §3.2), otherwise HTTP/1.1.
        public static let http2 = PreferredVersion(option: crc_http_version_2_tls, name: "HTTP/2")
        /// Only HTTP/2, with or without TLS, for servers that are known to support it (RFC 9113 §3.3). libcurl 7.88
        /// opens a new connection for each request without TLS.
        public static let http2WithPriorKnowledge = PreferredVersion(
            option: crc_http_version_2_prior_knowledge,
            name: "only HTTP/2"
        )
        /// HTTP/3 over QUIC (RFC 9114), or HTTP/2 or HTTP/1.1 if it isn't answered within 200 ms. Without
        /// `TransportCapabilities.http3` the same as ``http2``.
        public static let http3 = PreferredVersion(option: crc_http_version_3, name: "HTTP/3")
        /// Only HTTP/3, for `https` URLs. Requires `TransportCapabilities.http3`: a libcurl with ngtcp2.
        public static let http3Only = PreferredVersion(option: crc_http_version_3_only, name: "only HTTP/3")

        /// Whether HTTP/1.1 is used if the server or the request doesn't allow another version.
        var fallsBack: Bool { self != .http2WithPriorKnowledge && self != .http3Only }

        var isHTTP3: Bool { self == .http3 || self == .http3Only }
    }
}

extension CurlTransport.Configuration: CustomStringConvertible {
    /// The HTTP version, and whether there are a proxy, pins and unverified hosts. Contains no secrets.
    public var description: String {
        let parts = [httpVersion.name, proxy.isNone ? nil : "proxy", tls.publicKeyPins.isEmpty ? nil : "pins"]
        let unverified = tls.dangerouslyUnverifiedHosts.isEmpty ? nil : "unverified hosts"
        return "CurlTransport.Configuration(\((parts + [unverified]).compactMap(\.self).joined(separator: ", ")))"
    }
}

extension CurlTransport.Configuration {
    /// Throws if an option is invalid or contradicts another.
    ///
    /// - Parameter hasProxy: Whether a proxy is set, also by the environment.
    func validate(hasProxy: Bool) throws(TransportError) {
        guard highWaterMark > 0 else { throw .unsupported("highWaterMark is \(highWaterMark); set 1 or more bytes") }
        try Header.check(userAgent: userAgent)
        try connections.validate()
        try tls.validate()
        try decompression.validate()
        if httpVersion == .http2WithPriorKnowledge { try LinkedLibcurl.require(.http2, for: httpVersion.name) }
        if httpVersion == .http3Only { try LinkedLibcurl.require(.http3, for: httpVersion.name) }
        let (version, hasSocket) = ("httpVersion (\(httpVersion.name))", connections.unixSocket != nil)
        let conflicts = [
            (hasProxy && httpVersion == .http2WithPriorKnowledge, version, "proxy"),
            (hasProxy && httpVersion.isHTTP3, version, "proxy"),
            (hasSocket && httpVersion.isHTTP3, version, "connections.unixSocket"),
            // Datagrams for one connection would reach another one on the same port.
            (connections.localPort != nil && httpVersion.isHTTP3, version, "connections.localPort"),
            (hasSocket && hasProxy, "connections.unixSocket", "proxy"),
            // A socket has no address to check.
            (hasSocket && !addressPolicy.isAny, "connections.unixSocket", "addressPolicy"),
        ]
        if let (_, one, other) = conflicts.first(where: \.0) {
            throw .unsupported("\(one) can't be combined with \(other); remove one of them")
        }
    }
}
#endif
