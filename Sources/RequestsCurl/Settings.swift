#if canImport(CRequestsCurl)
import Requests
import RequestsClient
import RequestsSystem

/// A validated configuration with values derived from it.
final class Settings: Sendable {
    let configuration: CurlTransport.Configuration
    let proxies: ProxyRules
    /// `nil` if all addresses are allowed.
    let addresses: AddressCheck?
    let capabilities: TransportCapabilities
    /// Whether the TLS options differ from host to host.
    let distinguishesHosts: Bool
    /// Whether each exchange without TLS needs a new connection.
    let separatesExchanges: Bool
    /// The value of `Accept-Encoding`. `nil` to send none.
    let offeredCodings: String?

    init(_ configuration: CurlTransport.Configuration) throws(TransportError) {
        proxies = try ProxyRules(configuration.proxy, environment: ProcessInfo.processInfo.environment)
        for reason in proxies.ignoredEntries {
            OpenFile.writeToStandardError("Requests: ignores an entry of the proxy's exceptions: \(reason)\n")
        }
        try configuration.validate(hasProxy: !proxies.isEmpty)
        self.configuration = configuration
        self.addresses = configuration.addressPolicy.isAny ? nil : try configuration.addressPolicy.check()
        self.distinguishesHosts =
            !configuration.tls.publicKeyPins.isEmpty || !configuration.tls.dangerouslyUnverifiedHosts.isEmpty
        self.capabilities = LinkedLibcurl.capabilities.subtracting(configuration.httpVersion.excluded)
        separatesExchanges = configuration.quirks.switchesAgain && configuration.httpVersion == .http2WithPriorKnowledge
        let codings = configuration.decompression.codings
        self.offeredCodings = codings.isEmpty ? nil : codings.map(\.description).joined(separator: ", ")
    }

    var tls: CurlTransport.TLS { configuration.tls }

    /// Returns the proxy for a URL. `nil` if there is none. libcurl always uses a tunnel if `connectTo` names the URL's
    /// host.
    func proxy(for url: RequestURL) throws(TransportError) -> ProxyServer? {
        guard var proxy = proxies.server(for: url), !configuration.connections.connectTo.isEmpty
        else { return proxies.server(for: url) }
        let peer = try configuration.connections.peer(of: url.origin)
        proxy.tunnels = proxy.tunnels || peer != "\(url.origin.host):\(url.origin.port)"
        return proxy
    }

    /// Returns whether the transport may use HTTP/2 or HTTP/3.
    func offersMultiplexing(to url: RequestURL) -> Bool {
        !capabilities.isDisjoint(with: [.http2, .http3])
            && (url.isSecure || configuration.httpVersion == .http2WithPriorKnowledge)
    }

    /// Returns whether concurrent requests can share a connection.
    func sharesConnections(to url: RequestURL) -> Bool {
        offersMultiplexing(to: url) && !(separatesExchanges && url.scheme == "http")
    }

    /// Returns whether a request's head is too large for the multiplexed versions that the transport offers.
    ///
    /// A larger one would also harm the other requests of the connection: nghttp2 sends at most 64 KiB of names and
    /// values, and a field above 32 KiB doesn't arrive over HTTP/3.
    func exceedsMultiplexing(_ request: PreparedRequest) -> Bool {
        // Leaves room for the method and for the fields that the transport adds.
        let own = 1024 + (configuration.userAgent?.utf8.count ?? 0) + request.url.text.utf8.count
        let size = request.header.reduce(own) { $0 + $1.name.rawValue.utf8.count + $1.value.utf8.count }
        return size > maximumHead && offersMultiplexing(to: request.url)
    }

    private var maximumHead: Int { configuration.httpVersion.isHTTP3 ? 32 << 10 : 64 << 10 }

    /// Throws if libcurl wouldn't send a request, or would send a different one.
    func check(_ request: PreparedRequest) throws {
        try request.validate(for: capabilities)
        if configuration.httpVersion == .http3Only, !request.url.isSecure {
            throw TransportError.unsupported("HTTP/3 requires TLS; use an https URL, or httpVersion .http3")
        }
        if !configuration.httpVersion.fallsBack, exceedsMultiplexing(request) {
            let limit = "libcurl's limit of \(maximumHead >> 10) KiB for \(configuration.httpVersion.name)"
            throw TransportError.unsupported(
                "the head of the request exceeds \(limit); shorten it, or set httpVersion to .http1_1"
            )
        }
        if distinguishesHosts { try tls.publicKeyPins.check(request.url) }
        if let addresses, proxies.server(for: request.url) != nil { try addresses.check(request) }
        if request.header.contains(.proxyAuthorization), proxies.server(for: request.url) != nil {
            throw TransportError.unsupported(
                "Proxy-Authorization would reach \(request.url.origin); use Configuration.proxy.authenticated instead"
            )
        }
    }
}

extension CurlTransport.PreferredVersion {
    /// The capabilities that the transport lacks with this version. libcurl sends request trailers only over HTTP/1.1.
    fileprivate var excluded: TransportCapabilities {
        switch self {
        case .http1_1: [.http2, .http3]
        case .http2: .http3
        case .http2WithPriorKnowledge: [.http3, .requestTrailers]
        case .http3Only: [.http2, .requestTrailers]
        default: []
        }
    }
}
#endif
