#if canImport(CRequestsCurl)
import Requests

extension CurlTransport {
    /// A proxy between the transport and the servers.
    ///
    /// ```swift
    /// var configuration = CurlTransport.Configuration()
    /// configuration.proxy = .http("proxy.example.com", port: 3128)
    ///     .authenticated(username: "build", password: password)
    ///     .excluding(["localhost", "10.0.0.0/8", "internal.example.com"])
    /// ```
    ///
    /// Requests to `https` URLs go through a tunnel (RFC 9110 §9.3.6), so the proxy can't read them.
    public struct Proxy: Hashable, Sendable {
        enum Source: Hashable {
            case none
            case environment
            case url(Secret)
            case server(ProxyServer)
        }

        var source: Source
        var credentials: ProxyServer.Credentials?
        var tunnels = false
        var excludedHosts: [String] = []

        /// No proxy.
        public static let none = Proxy(source: .none)

        /// The proxy in the environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, read when a
        /// transport is created. All names but the first may be uppercase. An entry of `no_proxy` that isn't a host, as
        /// for ``excluding(_:)``, is ignored with a line on standard error.
        public static let environment = Proxy(source: .environment)

        /// A proxy as a URL, such as `http://user:password@proxy.example.com:3128`.
        ///
        /// The schemes are `http` (default), `https`, `socks5` and `socks5h`. With `socks5`, the transport resolves the
        /// names of servers; with `socks5h`, the proxy does. The default port is 443 for `https` and 1080 otherwise.
        /// Creating a transport throws if the URL is invalid.
        public static func url(_ url: String) -> Proxy { Proxy(source: .url(Secret(text: url))) }

        /// An HTTP proxy, to which the transport connects without TLS.
        public static func http(_ host: String, port: Int) -> Proxy {
            Proxy(source: .server(ProxyServer(kind: .http, host: host, port: port)))
        }

        /// An HTTP proxy over TLS. ``Configuration/tls`` applies to it, including the pins of its host.
        ///
        /// With libcurl 7, requests through it use HTTP/1.1.
        public static func https(_ host: String, port: Int) -> Proxy {
            Proxy(source: .server(ProxyServer(kind: .https, host: host, port: port)))
        }

        /// A SOCKS5 proxy, which resolves the names of servers (RFC 1928).
        public static func socks5(_ host: String, port: Int) -> Proxy {
            Proxy(source: .server(ProxyServer(kind: .socks5WithNames, host: host, port: port)))
        }

        /// Returns the proxy with credentials. Credentials in the proxy's URL take precedence.
        ///
        /// - Parameters:
        ///   - username: The user name.
        ///   - password: The password.
        ///   - onChallenge: Whether to send the credentials only when the proxy asks for digest (RFC 7616) or basic
        ///     credentials (RFC 7617), outside of a tunnel only for digest ones. There, a request whose body can't be
        ///     sent again fails. Not for SOCKS proxies. Default: `false`, which sends basic or SOCKS credentials
        ///     (RFC 1929) with the first request.
        public func authenticated(username: String, password: String, onChallenge: Bool = false) -> Proxy {
            var copy = self
            copy.credentials = ProxyServer.Credentials(
                username: username,
                password: Secret(text: password),
                onChallenge: onChallenge
            )
            return copy
        }

        /// Returns the proxy with tunnels for `http` URLs, too.
        public func tunneling() -> Proxy {
            var copy = self
            copy.tunnels = true
            return copy
        }

        /// Returns the proxy with hosts that are requested directly instead.
        ///
        /// - Parameter hosts: Names, which include their subdomains, `*.` and a name for its subdomains only, IP
        ///   addresses, ranges such as `10.0.0.0/8`, or `*` for all hosts. A port after a name or address limits it to
        ///   that port. Creating a transport throws for anything else.
        public func excluding(_ hosts: [String]) -> Proxy {
            var copy = self
            copy.excludedHosts += hosts
            return copy
        }

        var isNone: Bool { source == .none }
    }
}
#endif
