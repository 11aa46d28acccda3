import Requests
import RequestsClient

extension CurlTransport {
    /// What all exchanges of a transport have in common.
    ///
    /// Options that contradict each other, or that the linked libcurl does not have, are refused when the transport is
    /// made.
    public struct Configuration: Sendable {
        /// The version of HTTP that is spoken; by default the newest that a server offers.
        public var httpVersion = PreferredVersion.http2

        /// How connections are made, shared and kept.
        public var connections = Connections()

        /// What exchanges go through; nothing by default, whatever the environment says.
        public var proxy = Proxy.none

        /// How the servers of `https` URLs are verified.
        public var tls = TLS()

        /// Which content codings are offered and undone; all that can be, by default.
        public var decompression = Decompression()

        /// The `User-Agent` of requests that have none; `nil` for none of it.
        public var userAgent: String? = Field.defaultUserAgent.value

        /// How many bytes of a response may wait for their reader before receiving pauses; 256 KiB by default.
        /// Receiving goes on when half of them are left.
        public var highWaterMark = 256 << 10

        /// Whether sockets are waited for with epoll, where there is epoll, or with libcurl's own `curl_multi_poll`.
        package var waitsWithEpoll = true

        /// Creates a configuration with the defaults.
        public init() {}
    }

    /// A version of HTTP to speak.
    public struct PreferredVersion: Hashable, Sendable {
        enum Choice {
            case http1_1
            case http2
            case http2WithPriorKnowledge
        }

        let choice: Choice

        /// HTTP/1.1 alone (RFC 9112).
        public static let http1_1 = PreferredVersion(choice: .http1_1)
        /// HTTP/2 where a server offers it while TLS is negotiated, otherwise HTTP/1.1 (RFC 9113 §3.2).
        public static let http2 = PreferredVersion(choice: .http2)
        /// HTTP/2 alone, over TLS or without, for servers that are known to speak it (RFC 9113 §3.3). Over libcurl 7.88
        /// each exchange without TLS has a connection of its own.
        public static let http2WithPriorKnowledge = PreferredVersion(choice: .http2WithPriorKnowledge)
    }
}

extension CurlTransport.Configuration {
    /// Throws for options that contradict each other, and for those that mean nothing.
    func validate() throws(TransportError) {
        guard highWaterMark > 0 else { throw .unsupported("highWaterMark is \(highWaterMark); set one byte or more") }
        try Header.check(userAgent: userAgent)
        try connections.validate()
        try tls.validate()
        try decompression.validate()
        if httpVersion == .http2WithPriorKnowledge {
            try LinkedLibcurl.require(.http2, for: "HTTP/2 with prior knowledge")
            guard proxy.isNone else {
                throw .unsupported("a proxy cannot be spoken to in HTTP/2 with prior knowledge; set one of the two")
            }
        }
        if connections.unixSocket != nil, !proxy.isNone {
            throw .unsupported("exchanges go through a Unix domain socket or through a proxy; set one of the two")
        }
    }
}
