import Foundation
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A configuration that was checked, with what follows from it.
final class Settings: Sendable {
    let configuration: CurlTransport.Configuration
    let proxies: ProxyRules
    /// Whether TLS is not the same for all hosts.
    let distinguishesHosts: Bool
    /// The value of `Accept-Encoding`; `nil` where no coding is offered.
    let offeredCodings: String?

    init(_ configuration: CurlTransport.Configuration) throws(TransportError) {
        try configuration.validate()
        self.configuration = configuration
        self.distinguishesHosts =
            !configuration.tls.publicKeyPins.isEmpty || !configuration.tls.dangerouslyUnverifiedHosts.isEmpty
        let codings = configuration.decompression.codings
        self.offeredCodings = codings.isEmpty ? nil : codings.map(\.name).joined(separator: ", ")
        self.proxies = try ProxyRules(configuration.proxy, environment: ProcessInfo.processInfo.environment)
    }

    var tls: CurlTransport.TLS { configuration.tls }

    var decompression: CurlTransport.Decompression { configuration.decompression }

    var speaksHTTP2: Bool { configuration.httpVersion != .http1_1 && LinkedLibcurl.has(.http2) }

    /// Throws for what libcurl would not send, or not as it is meant.
    func check(_ request: PreparedRequest) throws(TransportError) {
        if distinguishesHosts { try tls.publicKeyPins.check(request.url) }
        if request.options.cachePolicy == .returnCacheDataDontLoad {
            throw .unsupported("libcurl has no cache, so cachePolicy returnCacheDataDontLoad can never be met")
        }
        if request.options.networkServiceType ?? .default != .default {
            throw .unsupported("libcurl knows no service types; leave networkServiceType nil")
        }
        if request.options.allowsCellularAccess == false {
            throw .unsupported(
                "libcurl does not know a cellular network when it uses one; leave allowsCellularAccess nil"
            )
        }
        if request.method == .connect {
            throw .unsupported("the method CONNECT makes a tunnel, which is not an exchange")
        }
        if request.method == .head, !request.body.isNone {
            throw .unsupported("libcurl sends no body with the method HEAD; remove the body")
        }
        if request.header.contains(.proxyAuthorization), proxies.server(for: request.url) != nil {
            throw .unsupported("Proxy-Authorization would reach \(request.url.origin); give it to Configuration.proxy")
        }
    }
}
