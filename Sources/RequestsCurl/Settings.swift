import Requests
import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A validated configuration, and what follows from it.
final class Settings: Sendable {
    let configuration: CurlTransport.Configuration
    let proxies: ProxyRules
    /// `nil` if all addresses are allowed.
    let addresses: AddressCheck?
    let capabilities: TransportCapabilities
    /// Whether TLS options depend on the host.
    let distinguishesHosts: Bool
    /// Whether each exchange without TLS needs a new connection.
    let separatesExchanges: Bool
    /// The value of `Accept-Encoding`; `nil` to offer no content encoding.
    let offeredCodings: String?

    init(_ configuration: CurlTransport.Configuration) throws(TransportError) {
        try configuration.validate()
        self.configuration = configuration
        self.addresses = configuration.addressPolicy.isAny ? nil : try configuration.addressPolicy.check()
        self.distinguishesHosts =
            !configuration.tls.publicKeyPins.isEmpty || !configuration.tls.dangerouslyUnverifiedHosts.isEmpty
        self.capabilities = LinkedLibcurl.capabilities.subtracting(configuration.httpVersion.excluded)
        separatesExchanges = configuration.quirks.switchesAgain && configuration.httpVersion == .http2WithPriorKnowledge
        let codings = configuration.decompression.codings
        self.offeredCodings = codings.isEmpty ? nil : codings.map(\.name).joined(separator: ", ")
        self.proxies = try ProxyRules(configuration.proxy, environment: ProcessInfo.processInfo.environment)
    }

    var tls: CurlTransport.TLS { configuration.tls }

    /// Whether HTTP/2 is offered to a server.
    func offersHTTP2(to url: RequestURL) -> Bool {
        capabilities.contains(.http2)
            && (url.isSecure || configuration.httpVersion == .http2WithPriorKnowledge)
    }

    /// Whether exchanges can share a connection at the same time.
    func sharesConnections(to url: RequestURL) -> Bool {
        offersHTTP2(to: url) && !(separatesExchanges && url.scheme == "http")
    }

    /// Throws if libcurl wouldn't send a request, or would send a different one.
    func check(_ request: PreparedRequest) throws {
        try request.validate(for: capabilities)
        if distinguishesHosts { try tls.publicKeyPins.check(request.url) }
        if let addresses, proxies.server(for: request.url) != nil { try addresses.check(request) }
        if request.header.contains(.proxyAuthorization), proxies.server(for: request.url) != nil {
            throw TransportError.unsupported(
                "Proxy-Authorization would reach \(request.url.origin); give it to Configuration.proxy"
            )
        }
    }
}

extension CurlTransport.PreferredVersion {
    /// What the transport can't do with this version. libcurl sends request trailers over HTTP/1.1 only.
    fileprivate var excluded: TransportCapabilities {
        switch self {
        case .http1_1: .http2
        case .http2WithPriorKnowledge: .requestTrailers
        default: []
        }
    }
}
