import Foundation
import Requests

/// Which proxy a URL is reached through.
struct ProxyRules: Sendable {
    private var server: ProxyServer?
    private var serverByScheme: [String: ProxyServer] = [:]
    private var excludedHosts: [HostPattern]

    /// - Parameter environment: The variables to read where the proxy is ``CurlTransport/Proxy/environment``.
    init(_ proxy: CurlTransport.Proxy, environment: [String: String]) throws(TransportError) {
        excludedHosts = try proxy.excludedHosts.map(HostPattern.checked)
        switch proxy.source {
        case .none: break
        case .server(let server): self.server = server
        case .environment:
            // HTTP_PROXY is what a `Proxy` field of a request becomes in a CGI program: it is not trusted.
            serverByScheme["http"] = try ProxyRules.server(in: environment, ["http_proxy", "all_proxy", "ALL_PROXY"])
            serverByScheme["https"] = try ProxyRules.server(
                in: environment,
                ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
            )
            let excluded = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
            excludedHosts += excluded.split { $0 == "," || $0 == " " }.map { HostPattern(String($0)) }
        }
        add(proxy.credentials)
        for server in [server, serverByScheme["http"], serverByScheme["https"]] { try server?.validate() }
    }

    /// Adds credentials to the proxies that have none.
    private mutating func add(_ credentials: ProxyServer.Credentials?) {
        func adding(_ server: ProxyServer) -> ProxyServer {
            var copy = server
            copy.credentials = server.credentials ?? credentials
            return copy
        }
        server = server.map(adding)
        serverByScheme = serverByScheme.mapValues(adding)
    }

    /// The proxy for a URL; `nil` where it is reached directly.
    func server(for url: RequestURL) -> ProxyServer? {
        if server == nil, serverByScheme.isEmpty { return nil }
        guard let server = server ?? serverByScheme[url.scheme] else { return nil }
        return excludedHosts.contains { $0.matches(url.host) } ? nil : server
    }

    private static func server(
        in environment: [String: String],
        _ names: [String]
    ) throws(TransportError) -> ProxyServer? {
        for name in names {
            if let text = environment[name], !text.isEmpty { return try server(text, from: name) }
        }
        return nil
    }

    /// Reads `[scheme://][user[:password]@]host[:port]`.
    private static func server(_ text: String, from name: String) throws(TransportError) -> ProxyServer {
        // The text may hold a password: it is not shown.
        let invalid = TransportError.unsupported("the variable \(name) is not the URL of an HTTP or SOCKS5 proxy")
        let parts = text.firstRange(of: "://").map { (text[..<$0.lowerBound], text[$0.upperBound...]) }
        let (scheme, rest) = parts ?? ("http", text[...])
        guard let kind = ProxyServer.Kind(rawValue: scheme.lowercased()) else { throw invalid }
        var authority = rest.prefix { $0 != "/" }
        var credentials: ProxyServer.Credentials?
        if let at = authority.lastIndex(of: "@") {
            let pair = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.removingPercentEncoding ?? String($0) }
            credentials = .init(username: pair[0], password: Secret(text: pair.count > 1 ? pair[1] : ""))
            authority = authority[authority.index(after: at)...]
        }
        guard let url = try? RequestURL("http://\(authority)"), url.path.isEmpty else { throw invalid }
        let isPortWritten = url.authority != url.host
        let port = isPortWritten ? url.origin.port : kind == .https ? 443 : 1080
        return ProxyServer(kind: kind, host: url.host, port: port, credentials: credentials)
    }
}

/// A host, a domain or a range of addresses that is reached without a proxy.
struct HostPattern: Hashable, Sendable {
    private let text: String
    private let range: AddressRange?

    init(_ text: String) {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        self.text = ASCII.lowercased(trimmed.hasPrefix(".") ? trimmed.dropFirst() : trimmed[...])
        self.range = AddressRange(self.text)
    }

    /// - Throws: For a text that matches nothing, so that a host meant to be reached directly would not be.
    static func checked(_ text: String) throws(TransportError) -> HostPattern {
        let pattern = HostPattern(text)
        if pattern.text == "*" || pattern.range != nil { return pattern }
        let name = pattern.text.hasSuffix(".") ? pattern.text.dropLast() : pattern.text[...]
        guard let url = try? RequestURL("http://\(name)/"), url.path == "/", url.query == nil,
            url.authority == url.host,
            !name.contains("*"), !name.contains(",")
        else {
            throw .unsupported(
                "\(Redaction.quoted(text)) is excluded from the proxy and is no host; write a name without port, which stands "
                    + "for its subdomains too, an address, a range such as 10.0.0.0/8, or * for all"
            )
        }
        return HostPattern(url.host)
    }

    /// - Parameter host: The host as in a URL, in lower case, an IPv6 address in brackets.
    func matches(_ host: String) -> Bool {
        if text == "*" { return true }
        if let range { return AddressRange.bytes(of: host).map(range.contains) ?? false }
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return !text.isEmpty && (name == text || name.hasSuffix(".\(text)"))
    }
}

/// IP addresses that begin with the same bits: `10.0.0.0/8`, `::1`.
private struct AddressRange: Hashable {
    private let prefix: [UInt8]
    private let bits: Int

    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let bytes = AddressRange.bytes(of: String(first)) else { return nil }
        let bits = parts.count > 1 ? Int(parts[1]) : bytes.count * 8
        guard let bits, (0...bytes.count * 8).contains(bits) else { return nil }
        self.prefix = bytes
        self.bits = bits
    }

    func contains(_ address: [UInt8]) -> Bool {
        guard address.count == prefix.count else { return false }
        return zip(address, prefix).enumerated().allSatisfy { index, pair in
            let shared = min(max(bits - index * 8, 0), 8)
            return shared == 0 || (pair.0 ^ pair.1) >> UInt8(8 - shared) == 0
        }
    }

    /// The address of a host that is one.
    static func bytes(of host: String) -> [UInt8]? {
        let text = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        var (v4, v6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
        if inet_pton(AF_INET6, text, &v6) == 1 { return withUnsafeBytes(of: v6) { Array($0) } }
        return nil
    }
}
