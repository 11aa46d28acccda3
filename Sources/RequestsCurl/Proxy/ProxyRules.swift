#if canImport(CRequestsCurl)
import Requests
import RequestsSystem

/// Finds the proxy for a URL.
struct ProxyRules: Sendable {
    /// The proxy for each scheme of a request's URL.
    private let http, https: ProxyServer?
    private let excludedHosts: [ProxyException]
    /// Why entries of the environment's variable are ignored.
    private(set) var ignoredEntries: [String] = []

    /// - Parameter environment: The variables for ``CurlTransport/Proxy/environment``.
    init(_ proxy: CurlTransport.Proxy, environment: [String: String]) throws(TransportError) {
        var excludedHosts = try proxy.excludedHosts.map { (host) throws(TransportError) in
            try ProxyException(host, in: "the hosts that proxy excludes")
        }
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
            if http == nil, https == nil { break }
            let name = environment["no_proxy"] == nil ? "NO_PROXY" : "no_proxy"
            for entry in (environment[name] ?? "").split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
                // Each program reads other entries, and this one doesn't control the variable.
                do throws(TransportError) {
                    excludedHosts.append(try ProxyException(String(entry), in: "the variable \(name)"))
                } catch {
                    ignoredEntries.append(error.message)
                }
            }
        }
        self.excludedHosts = excludedHosts
        self.http = try http.map { (server) throws(TransportError) in try server.completed(by: proxy) }
        self.https = try https.map { (server) throws(TransportError) in try server.completed(by: proxy) }
    }

    var isEmpty: Bool { http == nil && https == nil }

    /// Returns the proxy for a URL. `nil` if there is none.
    func server(for url: RequestURL) -> ProxyServer? {
        guard let server = url.isSecure ? https : http else { return nil }
        return excludedHosts.contains { $0.matches(url) } ? nil : server
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

/// A host, a domain or a range of addresses that is requested without the proxy, as curl, Go and Python write it.
struct ProxyException: Hashable, Sendable {
    private enum Hosts: Hashable {
        case all
        case network(IPNetwork)
        /// A name with its subdomains, or only these.
        case domain(String, isIncluded: Bool)
    }

    private let hosts: Hosts
    private let port: Int?

    /// - Parameter source: The place of the text, for the message of an error.
    /// - Throws: An error if the text can't match any host.
    init(_ text: String, in source: String) throws(TransportError) {
        guard let pattern = ProxyException.parse(ASCII.lowercased(text.trimmingFieldWhitespace())) else {
            throw .unsupported(
                "\(Redaction.quoted(text)) in \(source) isn't a host; write a name such as a.example, .a.example, "
                    + "*.a.example or a.example:8080, an address, a range such as 10.0.0.0/8, or * for all hosts"
            )
        }
        (hosts, port) = pattern
    }

    private static func parse(_ text: String) -> (Hosts, port: Int?)? {
        if text == "*" { return (.all, nil) }
        if let network = IPNetwork(text) { return (.network(network), nil) }
        var (name, port) = (text[...], Int?.none)
        // Without brackets, an IPv6 address has no port.
        if let colon = text.lastIndex(of: ":"), text[..<colon].last == "]" || !text[..<colon].contains(":") {
            let digits = text[text.index(after: colon)...]
            guard digits.utf8.allSatisfy(\.isDigit), let number = UInt16(digits), number > 0 else { return nil }
            (name, port) = (text[..<colon], Int(number))
        }
        if let address = IPAddress(String(name)), let network = IPNetwork(String(name)) {
            return address.bytes.isEmpty ? nil : (.network(network), port)
        }
        let isIncluded = !name.hasPrefix("*.")
        name = isIncluded ? name.hasPrefix(".") ? name.dropFirst() : name : name.dropFirst(2)
        if name.hasSuffix(".") { name = name.dropLast() }
        guard let url = try? RequestURL("http://\(name)/"), url.path == "/", url.query == nil,
            url.authority == url.host, !name.contains("*"), !name.contains(",")
        else { return nil }
        return (.domain(url.host, isIncluded: isIncluded), port)
    }

    func matches(_ url: RequestURL) -> Bool {
        if let port, port != url.origin.port { return false }
        // The host of a URL is lowercase, with an IPv6 address in brackets.
        let host = url.host.hasSuffix(".") ? url.host.dropLast() : url.host[...]
        return switch hosts {
        case .all: true
        case .network(let network): IPAddress(String(host)).map(network.contains) ?? false
        case .domain(let domain, let isIncluded): host == domain ? isIncluded : host.hasSuffix(".\(domain)")
        }
    }
}
#endif
