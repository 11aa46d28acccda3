import Requests

/// Finds the proxy for a URL.
struct ProxyRules: Sendable {
    /// The proxy for each scheme of a request's URL.
    private let http, https: ProxyServer?
    private let excludedHosts: [HostPattern]

    /// - Parameter environment: The variables for ``CurlTransport/Proxy/environment``.
    init(_ proxy: CurlTransport.Proxy, environment: [String: String]) throws(TransportError) {
        var excludedHosts = try proxy.excludedHosts.map(HostPattern.checked)
        var (http, https): (ProxyServer?, ProxyServer?)
        switch proxy.source {
        case .none: break
        case .server(let server): (http, https) = (server, server)
        case .url(let url):
            http = try ProxyRules.server(url.text, from: "proxy")
            https = http
        case .environment:
            let all = ["all_proxy", "ALL_PROXY"]
            // HTTP_PROXY isn't read, because a CGI program gets a request's `Proxy` field in it.
            http = try ProxyRules.server(in: environment, ["http_proxy"] + all)
            https = try ProxyRules.server(in: environment, ["https_proxy", "HTTPS_PROXY"] + all)
            let excluded = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
            excludedHosts += excluded.split { $0 == "," || $0 == " " }.map { HostPattern(String($0)) }
        }
        self.excludedHosts = excludedHosts
        self.http = try http.map { (server) throws(TransportError) in try server.completed(by: proxy) }
        self.https = try https.map { (server) throws(TransportError) in try server.completed(by: proxy) }
    }

    /// Returns the proxy for a URL. `nil` if there is none.
    func server(for url: RequestURL) -> ProxyServer? {
        guard let server = url.isSecure ? https : http else { return nil }
        return excludedHosts.contains { $0.matches(url.host) } ? nil : server
    }

    private static func server(
        in environment: [String: String],
        _ names: [String]
    ) throws(TransportError) -> ProxyServer? {
        for name in names {
            if let text = environment[name], !text.isEmpty { return try server(text, from: "the variable \(name)") }
        }
        return nil
    }

    /// - Parameter source: The text's name for messages. The text itself may contain a password and isn't shown.
    private static func server(_ text: String, from source: String) throws(TransportError) -> ProxyServer {
        guard let server = ProxyServer(text) else {
            throw .unsupported(
                "\(source) isn't the URL of an HTTP or SOCKS5 proxy; write it like http://user:password@host:port"
            )
        }
        return server
    }
}

/// A host, a domain or a range of addresses that is requested without the proxy.
struct HostPattern: Hashable, Sendable {
    private let text: String
    private let network: IPNetwork?

    init(_ text: String) {
        let trimmed = text.trimmingFieldWhitespace()
        self.text = ASCII.lowercased(trimmed.hasPrefix(".") ? trimmed.dropFirst() : trimmed[...])
        self.network = IPNetwork(self.text)
    }

    /// - Throws: An error if the text can't match any host.
    static func checked(_ text: String) throws(TransportError) -> HostPattern {
        let pattern = HostPattern(text)
        if pattern.text == "*" || pattern.network != nil { return pattern }
        let name = pattern.text.hasSuffix(".") ? pattern.text.dropLast() : pattern.text[...]
        guard let url = try? RequestURL("http://\(name)/"), url.path == "/", url.query == nil,
            url.authority == url.host,
            !name.contains("*"), !name.contains(",")
        else {
            throw .unsupported(
                "\(Redaction.quoted(text)), which proxy excludes, isn't a host; "
                    + "write a name without port, an address, a range such as 10.0.0.0/8, or * for all hosts"
            )
        }
        return HostPattern(url.host)
    }

    /// - Parameter host: The lowercase host of a URL, with an IPv6 address in brackets.
    func matches(_ host: String) -> Bool {
        if text == "*" { return true }
        if let network { return IPAddress(host).map(network.contains) ?? false }
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return !text.isEmpty && (name == text || name.hasSuffix(".\(text)"))
    }
}
