import Foundation
import Requests

/// The day, region and service that a signature is valid for.
struct AWSScope: Sendable {
    /// The date and time, such as `20150830T123600Z`.
    let timestamp: String
    private let region: String
    private let service: String

    init(date: Date, region: String, service: String) {
        timestamp = CivilDate(date).timestamp.filter { $0 != "-" && $0 != ":" }
        self.region = region
        self.service = service
    }

    private var day: Substring { timestamp.prefix(8) }

    /// The scope as it is sent.
    var text: String { "\(day)/\(region)/\(service)/aws4_request" }

    /// The key that signs in this scope.
    func key(for credentials: AWSCredentials) -> [UInt8] {
        let parts = [String(day), region, service, "aws4_request"]
        return parts.reduce(Array("AWS4\(credentials.secretAccessKey)".utf8)) { key, part in
            HMAC.sha256(part.utf8, key: key)
        }
    }

    func stringToSign(_ request: AWSCanonicalRequest) -> String {
        "AWS4-HMAC-SHA256\n\(timestamp)\n\(text)\n\(SHA2.sha256(request.text.utf8).hexadecimal)"
    }

    func sign(_ request: AWSCanonicalRequest, with credentials: AWSCredentials) -> String {
        HMAC.sha256(stringToSign(request).utf8, key: key(for: credentials)).hexadecimal
    }
}
