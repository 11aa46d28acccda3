import Foundation
import Requests

extension CurlTransport {
    /// What exchanges go through on their way.
    ///
    /// ```swift
    /// var configuration = CurlTransport.Configuration()
    /// configuration.proxy = .http("proxy.example.com", port: 3128)
    ///     .authenticated(username: "build", password: password)
    ///     .excluding(["localhost", "10.0.0.0/8", "internal.example.com"])
    /// ```
    ///
    /// An `https` URL is reached through a tunnel that the proxy cannot look into (RFC 9110 §9.3.6).
    public struct Proxy: Hashable, Sendable {
        enum Source: Hashable {
            case none
            case environment
            case server(ProxyServer)
        }

        var source: Source
        var credentials: ProxyServer.Credentials?
        var excludedHosts: [String] = []

        /// Nothing.
        public static let none = Proxy(source: .none)

        /// What the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say when the transport is made; all but
        /// the first may be in upper case.
        public static let environment = Proxy(source: .environment)

        /// A proxy that is spoken to in HTTP.
        public static func http(_ host: String, port: Int) -> Proxy {
            Proxy(source: .server(ProxyServer(kind: .http, host: host, port: port)))
        }

        /// A proxy that is spoken to in HTTP over TLS, verified as ``Configuration/tls`` says, pins of its host included.
        ///
        /// With libcurl 7 exchanges through it use HTTP/1.1.
        public static func https(_ host: String, port: Int) -> Proxy {
            Proxy(source: .server(ProxyServer(kind: .https, host: host, port: port)))
        }

        /// A SOCKS proxy, which looks up the hosts' names (RFC 1928).
        public static func socks5(_ host: String, port: Int) -> Proxy {
            Proxy(source: .server(ProxyServer(kind: .socks5WithNames, host: host, port: port)))
        }

        /// Returns the proxy with credentials for it: basic ones (RFC 7617), or those of RFC 1929 for SOCKS. Those that a
        /// variable of the environment has come first.
        public func authenticated(username: String, password: String) -> Proxy {
            var copy = self
            copy.credentials = ProxyServer.Credentials(username: username, password: Secret(text: password))
            return copy
        }

        /// Returns the proxy without hosts that are reached directly: names, which stand for their subdomains too, IP
        /// addresses, ranges such as `10.0.0.0/8`, and `*` for all. What is none of these is refused when the transport is made.
        public func excluding(_ hosts: [String]) -> Proxy {
            var copy = self
            copy.excludedHosts += hosts
            return copy
        }

        var isNone: Bool { source == .none }
    }
}

/// A proxy: how it is spoken to, and where it is.
struct ProxyServer: Hashable, Sendable {
    enum Kind: String {
        case http
        case https
        case socks5
        case socks5WithNames = "socks5h"
    }

    struct Credentials: Hashable {
        let username: String
        let password: Secret
    }

    var kind: Kind
    var host: String
    var port: Int
    var credentials: Credentials?

    /// The proxy as libcurl takes it, without credentials.
    var url: String { "\(kind.rawValue)://\(host):\(port)" }

    var isHTTP: Bool { kind == .http || kind == .https }

    func validate() throws(TransportError) {
        _ = try CurlTransport.Connections.HostAndPort(host, port).checked()
        if kind == .https { try LinkedLibcurl.require(.httpsProxy, for: "an HTTPS proxy") }
        if isHTTP, credentials?.username.contains(":") == true {
            throw .unsupported("the proxy's user name contains a colon, which basic authentication cannot carry")
        }
    }
}

/// A text that no description shows.
struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let text: String

    var description: String { Redaction.placeholder }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
