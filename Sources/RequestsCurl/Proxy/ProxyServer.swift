#if canImport(CRequestsCurl)
import Requests

/// The address of a proxy, its protocol and its credentials.
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
        var onChallenge = false
    }

    var kind: Kind
    var host: String
    var port: Int
    var credentials: Credentials?
    /// Whether `http` URLs go through a tunnel, too.
    var tunnels = false

    /// The proxy's URL for libcurl, without credentials.
    var url: String { "\(kind.rawValue)://\(host):\(port)" }

    var isHTTP: Bool { kind == .http || kind == .https }

    /// Whether a request to a URL goes through a tunnel.
    func tunnels(to url: RequestURL) -> Bool { isHTTP && (url.isSecure || tunnels) }

    /// The credentials that the proxy gets only when it asks.
    var requestedCredentials: Credentials? { credentials.flatMap { $0.onChallenge ? $0 : nil } }

    /// Returns the server with the proxy's settings, and its credentials if the server has none. Throws if invalid.
    func completed(by proxy: CurlTransport.Proxy) throws(TransportError) -> ProxyServer {
        var copy = self
        copy.credentials = credentials ?? proxy.credentials
        copy.tunnels = proxy.tunnels
        try copy.validate()
        return copy
    }

    private func validate() throws(TransportError) {
        _ = try CurlTransport.Connections.HostAndPort(host, port).checked()
        if kind == .https { try LinkedLibcurl.require(.httpsProxy, for: "an HTTPS proxy") }
        if isHTTP, credentials?.onChallenge == false, credentials?.username.contains(":") == true {
            throw .unsupported("a colon in the proxy's user name doesn't work with basic credentials; use onChallenge")
        }
        if !isHTTP, credentials?.onChallenge == true {
            throw .unsupported("a SOCKS proxy sends no challenges; remove onChallenge")
        }
    }
}

extension ProxyServer {
    /// Parses `[scheme://][user[:password]@]host[:port]`. Returns `nil` for anything else.
    init?(_ text: String) {
        let parts = text.firstRange(of: "://").map { (text[..<$0.lowerBound], text[$0.upperBound...]) }
        let (scheme, rest) = parts ?? ("http", text[...])
        guard let kind = Kind(rawValue: scheme.lowercased()) else { return nil }
        var authority = rest.prefix { $0 != "/" }
        var credentials: Credentials?
        if let at = authority.lastIndex(of: "@") {
            let pair = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                .map { PathSegment.decoded(String($0)) }
            credentials = Credentials(username: pair[0], password: Secret(text: pair.count > 1 ? pair[1] : ""))
            authority = authority[authority.index(after: at)...]
        }
        guard let url = try? RequestURL("http://\(authority)"), url.path.isEmpty else { return nil }
        let hasPort = url.authority != url.host
        let port = hasPort ? url.origin.port : kind == .https ? 443 : 1080
        self.init(kind: kind, host: url.host, port: port, credentials: credentials)
    }
}

/// A text that descriptions and mirrors don't reveal.
struct Secret: Hashable, Sendable, Redacted {
    let text: String

    var description: String { Redaction.placeholder }
}
#endif
