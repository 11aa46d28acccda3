import Requests

extension Cassette {
    /// The rules for secrets, which are replaced with `REDACTED` before an exchange is stored.
    ///
    /// Always redacted are sensitive header fields (`Field.isSensitive`), cookies, and secret query items in the URL
    /// and in URLs inside header fields. A query item is secret if its name usually holds a credential (such as
    /// `access_token` or `signature`), or if the request marks it (`.apiKey`, `CallOptions.sensitiveQueryNames`). Paths
    /// and host names are never redacted.
    public struct Secrets: Sendable {
        /// Additional header fields to redact. Default: empty.
        public var fields: Set<Field.Name>

        /// The names of additional query items to redact. Case, `-` and `_` are ignored. Default: empty.
        public var queryNames: Set<String>

        /// The rules for request and response bodies. Default: ``BodyRule/credentials``.
        public var bodies: [BodyRule]

        /// Creates rules. The parameters have the defaults of the properties.
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
    func redacted(body data: Data, _ mimeType: String?) -> Data {
        guard !data.isEmpty else { return data }
        let type = mimeType.flatMap { MediaType($0) }
        guard let text = UnicodeText(data, type) else { return bodies.reduce(data) { $1.redact($0, type) } }
        let utf8 = text.utf8
        let redacted = bodies.reduce(utf8) { $1.redact($0, type) }
        return redacted == utf8 ? data : text.encoding(redacted)
    }

    /// - Parameter bodySize: The new value of an existing `Content-Length`, in bytes. `nil` keeps the value.
    func redacted(_ header: Header, bodySize: Int?) -> [HAR.Pair] {
        header.map { field in
            HAR.Pair(name: field.name.rawValue, value: redacted(field, bodySize: bodySize))
        }
    }

    private func redacted(_ field: Field, bodySize: Int?) -> String {
        switch field.name {
        case .cookie: redacted(cookies: field.value)
        case .setCookie: redacted(setCookie: field.value)
        case .contentLength: bodySize.map(String.init) ?? field.value
        default:
            field.isSensitive || fields.contains(field.name)
                ? Redaction.placeholder : redacted(url: field.value)
        }
    }

    /// Redacts the cookies' values and keeps their names, which tests may need.
    func redacted(cookies text: String) -> String {
        text.split(separator: ";").map { pair in
            // A cookie without `=` is only a value (RFC 6265bis §5.6).
            guard let equals = pair.firstIndex(of: "=") else { return Redaction.placeholder }
            return pair[...equals].drop { $0 == " " } + Redaction.placeholder
        }
        .joined(separator: "; ")
    }

    private func redacted(setCookie text: String) -> String {
        let pair = text.prefix { $0 != ";" }
        return redacted(cookies: String(pair)) + text[pair.endIndex...]
    }

    func redacted(url text: some StringProtocol) -> String {
        let names = Set(queryNames.map { Redaction.letters(of: $0.utf8) })
        return URLScrubber { name, value in
            names.contains(Redaction.letters(of: name.utf8)) || Redaction.isSecret(queryName: name, value: value)
        }
        .scrubbed(text)
    }
}
