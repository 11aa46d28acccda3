import Requests
import Synchronization

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

    var day: String { String(timestamp.prefix(8)) }

    /// The scope in the form in which it is sent.
    var text: String { "\(day)/\(region)/\(service)/aws4_request" }

    /// Derives the key that signs in this scope.
    func key(for credentials: AWSCredentials) -> [UInt8] {
        [day, region, service, "aws4_request"].reduce(Array("AWS4\(credentials.secretAccessKey)".utf8)) { key, part in
            HMAC.sha256(part.utf8, key: key)
        }
    }

    func sign(_ request: AWSCanonicalRequest, with key: [UInt8]) -> String {
        let hash = SHA2.sha256(request.text.utf8).hexadecimal
        return HMAC.sha256("AWS4-HMAC-SHA256\n\(timestamp)\n\(text)\n\(hash)".utf8, key: key).hexadecimal
    }
}

/// The derived keys of a signer, one for each day.
///
/// A linked list that only grows, so it can be read without a lock.
final class AWSKeys: Sendable {
    private let day: String
    private let key: [UInt8]
    private let next = AtomicLazyReference<AWSKeys>()

    private init(day: String, key: [UInt8]) {
        self.day = day
        self.key = key
    }

    /// Creates a list without keys.
    convenience init() { self.init(day: "", key: []) }

    /// Returns the key for a day. Derives and stores it if it is missing.
    func key(for day: String, _ derive: () -> [UInt8]) -> [UInt8] {
        var keys = self
        while keys.day != day {
            keys = keys.next.load() ?? keys.next.storeIfNil(AWSKeys(day: day, key: derive()))
        }
        return keys.key
    }
}

extension AWSKeys: CustomReflectable {
    /// A mirror without children, so that `dump` reveals no key.
    var customMirror: Mirror { Mirror(self, children: []) }
}
