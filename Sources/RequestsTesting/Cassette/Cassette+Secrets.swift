import Foundation
import Requests

extension Cassette {
    /// What is removed from an exchange before it is kept, and `<redacted>` put in its place.
    ///
    /// Removed in any case are the values of sensitive fields (`Field.isSensitive`), the values of cookies, and those
    /// of query items whose names stand for credentials, such as `access_token` and `signature`, or that the request
    /// hides (`.apiKey(_:in:)`, `RequestOptions.sensitiveQueryNames`), wherever a field holds a URL. Secrets in paths and
    /// hosts stay.
    public struct Secrets: Sendable {
        /// More fields whose values are removed; none by default.
        public var fields: Set<Field.Name>

        /// More query items whose values are removed; none by default. Case, `-` and `_` do not count.
        public var queryNames: Set<String>

        /// What is removed from bodies, of requests and responses alike; ``BodyRule/credentials`` by default.
        public var bodies: [BodyRule]

        /// Creates rules.
        public init(
            fields: Set<Field.Name> = [],
            queryNames: Set<String> = [],
            bodies: [BodyRule] = [.credentials]
        ) {
            self.fields = fields
            self.queryNames = queryNames
            self.bodies = bodies
        }
    }
}

extension Cassette.Secrets {
    func removed(fromBody data: Data, _ mimeType: String?) -> Data {
        guard !data.isEmpty else { return data }
        let type = mimeType.flatMap { MediaType($0) }
        return bodies.reduce(data) { $1.remove($0, type) }
    }

    /// - Parameter bodySize: What `Content-Length` becomes where it is there; `nil` leaves it.
    func removed(from header: Header, bodySize: Int?) -> [HAR.Pair] {
        header.map { field in
            HAR.Pair(name: field.name.rawValue, value: removed(from: field, bodySize: bodySize))
        }
    }

    private func removed(from field: Field, bodySize: Int?) -> String {
        switch field.name {
        case .cookie: removed(fromCookies: field.value)
        case .setCookie: removed(fromSetCookie: field.value)
        case .contentLength: bodySize.map(String.init) ?? field.value
        default:
            field.isSensitive || fields.contains(field.name)
                ? Redaction.placeholder : removed(fromURL: field.value)
        }
    }

    /// The names stay: who tests cookies looks for them.
    func removed(fromCookies text: String) -> String {
        text.split(separator: ";").map { pair in
            // Without a name it is all value (RFC 6265bis §5.6).
            guard let equals = pair.firstIndex(of: "=") else { return Redaction.placeholder }
            return pair[...equals].drop { $0 == " " } + Redaction.placeholder
        }
        .joined(separator: "; ")
    }

    private func removed(fromSetCookie text: String) -> String {
        let pair = text.prefix { $0 != ";" }
        return removed(fromCookies: String(pair)) + text[pair.endIndex...]
    }

    func removed(fromURL text: some StringProtocol) -> String {
        let names = Set(queryNames.map { Redaction.letters(of: $0.utf8) })
        return URLScrubber { Redaction.isSensitive(queryName: $0) || names.contains(Redaction.letters(of: $0.utf8)) }
            .scrubbed(text)
    }
}
