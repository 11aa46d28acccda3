import Requests
import RequestsClient
import RequestsTesting

@testable import RequestsCurl

/// What the tests may expect of the libcurl that they run with.
enum LibcurlBuild {
    static var usesOpenSSL: Bool { LinkedLibcurl.usesOpenSSLFamily }

    /// The cases of the conformance suite that need a capability which libcurl lacks with some TLS libraries.
    static let inapplicable: Set<String> = {
        let needed: [String: TransportCapabilities] = [
            "certificateWithoutNames": .certificateNames, "cutTLS": .tlsClosure,
        ]
        return Set(needed.filter { !LinkedLibcurl.capabilities.contains($0.value) }.keys)
    }()
}
