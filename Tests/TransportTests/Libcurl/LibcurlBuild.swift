import RequestsConformance
import RequestsTesting

@testable import RequestsCurl

/// The features of the linked libcurl that the tests depend on.
enum LibcurlBuild {
    static var usesOpenSSL: Bool { LinkedLibcurl.tls.isOpenSSLFamily }

    /// The conformance cases that need a capability which libcurl lacks with some TLS libraries.
    static let inapplicable: Set<String> = {
        let needed: [String: TransportCapabilities] = [
            "certificateWithoutNames": .certificateNames, "missingCloseNotify": .tlsClosure,
        ]
        let lacking = Set(needed.filter { !LinkedLibcurl.capabilities.contains($0.value) }.keys)
        guard !hasHTTP2 else { return lacking }
        let http2 = TransportConformance.Case.all.map(\.name).filter { $0.hasPrefix("http2") }
        return lacking.union(http2)
    }()

    static var hasHTTP2: Bool { LinkedLibcurl.has(.http2) }
}
