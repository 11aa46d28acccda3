import Requests
import RequestsCompression

extension Cassette {
    /// The rules for secrets, which are replaced with `REDACTED` before an exchange is stored.
    ///
    /// Always redacted are sensitive header fields (`Field.isSensitive`), cookies, and secret query items in the URL
    /// and in URLs inside header fields. A query item is secret if its name usually holds a credential (such as
    /// `access_token` or `signature`), or if the request marks it (`.apiKey`, `CallOptions.sensitiveQueryNames`). Paths
    /// and host names are never redacted. Bodies are decoded before they are redacted, and a body that is marked with
    /// `sensitive()` is never stored.
    public struct Secrets: Sendable {
        /// Additional header fields to redact. Default: empty.
        public var fields: Set<Field.Name>

        /// The names of additional query items to redact. Case, `-` and `_` are ignored. Default: empty.
        public var queryNames: Set<String>

        /// The rules for request and response bodies. Default: ``BodyRule/credentials``.
        public var bodies: [BodyRule]

        /// The lowercase names of content encodings, media types and charsets whose bodies are stored although the
        /// rules can't read them, such as `aes128gcm` and `application/x-protobuf`. Other bodies that can't be read are
        /// replaced by their size, except images, sounds, videos and fonts. Default: empty.
        public var unreadable: Set<String>

        /// Creates rules. The parameters have the defaults of the properties.
        public init(
            fields: Set<Field.Name> = [],
            queryNames: Set<String> = [],
            bodies: [BodyRule] = [.credentials],
            unreadable: Set<String> = []
        ) {
            self.fields = fields
            self.queryNames = queryNames
            self.bodies = bodies
            self.unreadable = unreadable
        }
    }
}

extension Cassette.Secrets {
    /// A body as it is stored.
    struct StoredBody {
        var data: Data
        /// Whether the content encodings were removed.
        var isDecoded = false
        /// Whether something was hidden.
        var isRedacted = false
    }

    /// Returns a body as it is stored.
    ///
    /// - Parameters:
    ///   - header: The fields of the message.
    ///   - isSensitive: Whether nothing of the body may be stored.
    ///   - isPart: Whether the body is a part of an encoded one, so that it can't be decoded.
    func stored(_ data: Data, _ header: Header, isSensitive: Bool = false, isPart: Bool = false) -> StoredBody {
        if isSensitive || Cassette.Secrets.isHidden(data) {
            let data = isSensitive ? Data(Redaction.placeholder.utf8) : data
            return StoredBody(data: data, isDecoded: true, isRedacted: true)
        }
        if data.isEmpty || allows(header[.contentEncoding]?.tokens ?? []) { return StoredBody(data: data) }
        let isEncoded = header.contains(.contentEncoding)
        let whole =
            isPart && isEncoded ? nil : ContentEncoding.decoded(data, header, upTo: CallOptions.defaultMaximumBodyBytes)
        guard let whole else { return StoredBody(data: hidden(data), isDecoded: true, isRedacted: true) }
        var plain = header
        plain.remove(.contentEncoding)
        let redacted = redacted(whole, plain)
        return StoredBody(data: redacted, isDecoded: isEncoded, isRedacted: redacted != whole)
    }

    /// Returns a body or a part without its secrets. What can't be read is replaced by its size.
    private func redacted(_ data: Data, _ header: Header, nesting: Int = 0) -> Data {
        let type = header[.contentType].flatMap { MediaType($0) }
        switch BodyContent(data, header) {
        case .parts(let boundary):
            if nesting == Redaction.maximumPartNesting { return hidden(data) }
            let named = bodies.reduce(data) { $1.redact($0, type) }
            return FormPart.redacted(named, boundary, where: { _, _ in false }) {
                redacted($0, $1, nesting: nesting + 1)
            } ?? hidden(data)
        case .text(let utf8, _):
            let redacted = bodies.reduce(utf8) { $1.redact($0, type) }
            return redacted == utf8 ? data : UnicodeText(data, type)?.encoding(redacted) ?? redacted
        case .malformedText: return bodies.reduce(data) { $1.redact($0, type) }
        case .unreadable: return isAllowed(type) ? bodies.reduce(data) { $1.redact($0, type) } : hidden(data)
        }
    }

    /// Images, sounds, videos and fonts contain no credentials.
    private func isAllowed(_ type: MediaType?) -> Bool {
        // RFC 9110 §8.3
        let type = type ?? .binary
        let charsets = type.parameters.filter { $0.name == "charset" }.map { Substring($0.value) }
        return ["image", "audio", "video", "font"].contains(type.type) || allows(["\(type.type)/\(type.subtype)"])
            || allows(charsets)
    }

    private func allows(_ names: [Substring]) -> Bool {
        !names.isEmpty && names.allSatisfy { unreadable.contains(ASCII.lowercased(String($0))) }
    }

    private func hidden(_ data: Data) -> Data {
        Cassette.Secrets.isHidden(data) ? data : Data("\(Redaction.placeholder): \(data.count) bytes".utf8)
    }

    /// Whether a body or a part was hidden when it was recorded.
    private static func isHidden(_ data: Data) -> Bool {
        data.count < 40 && data.starts(with: Redaction.placeholder.utf8)
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
