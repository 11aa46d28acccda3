import Requests
import RequestsClient
import RequestsTesting

@testable import RequestsCurl

/// The features of the linked libcurl that the tests depend on.
enum LibcurlBuild {
    static var usesOpenSSL: Bool { LinkedLibcurl.usesOpenSSLFamily }

    /// The conformance cases that need a capability which libcurl lacks with some TLS libraries.
    static let inapplicable: Set<String> = {
        let needed: [String: TransportCapabilities] = [
            "certificateWithoutNames": .certificateNames, "missingCloseNotify": .tlsClosure,
        ]
        return Set(needed.filter { !LinkedLibcurl.capabilities.contains($0.value) }.keys)
    }()
}
