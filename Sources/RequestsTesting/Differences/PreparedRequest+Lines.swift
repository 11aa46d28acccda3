import Requests

extension PreparedRequest {
    /// A line of a request. Two lines are compared by their values, even if these are secret and not shown.
    struct Line: Hashable, CustomStringConvertible {
        let name: String
        /// The value. `nil` if there is only a name, such as a query item without `=`.
        let value: String?
        /// What is shown instead of the value.
        let placeholder: String?

        init(_ name: String, _ value: String?, isSecret: Bool = false) {
            self.init(name, value, as: isSecret ? Redaction.placeholder : nil)
        }

        init(_ name: String, _ value: String?, as placeholder: String?) {
            self.name = name
            self.value = value
            self.placeholder = placeholder
        }

        var description: String {
            guard let value else { return name }
            return value.isEmpty ? "\(name):" : "\(name): \(placeholder ?? value)"
        }
    }

    /// The request as lines.
    var lines: [Line] {
        let address = url.text.prefix { $0 != "?" && $0 != "#" }
        return [Line("method", method.rawValue), Line("URL", String(address))] + queryLines + fragmentLines
            + header.map(PreparedRequest.line) + options.lines + bodyLines
    }

    private var queryLines: [Line] {
        // The redacted URL has the same items in the same order.
        let shown = (url.redactedText.split(separator: "#").first ?? "").split(separator: "?", maxSplits: 1).dropFirst()
        let items = url.query?.split(separator: "&", omittingEmptySubsequences: false) ?? []
        let shownItems = shown.first?.split(separator: "&", omittingEmptySubsequences: false) ?? []
        return zip(items, shownItems).map { item, shown in
            let isSecret = shown.hasSuffix("=\(Redaction.placeholder)") && shown != item
            let name = item.prefix { $0 != "=" }
            return Line("?\(name)", name == item ? nil : String(item.dropFirst(name.count + 1)), isSecret: isSecret)
        }
    }

    private var fragmentLines: [Line] { url.fragment.map { [Line("#", $0, isSecret: $0.contains("="))] } ?? [] }

    /// Returns the line of a header field, without a multipart boundary.
    private static func line(of field: Field) -> Line {
        var value = field.value
        if field.name == .contentType, var type = MediaType(value), type.boundary != nil {
            type.parameters.removeAll { $0.name == "boundary" }
            value = type.rawValue
        }
        return Line(field.name.rawValue, value, isSecret: field.isSensitive)
    }

    private var bodyLines: [Line] {
        guard !body.isNone else { return [] }
        let bodies = if case .joined(let bodies) = body.source { bodies } else { [body] }
        return bodies.flatMap { part in
            guard let data = part.data else { return [Line("body", "\(part)")] }
            guard !body.isSensitive else { return [Line("body", data.base64EncodedString(), isSecret: true)] }
            return PreparedRequest.lines(of: data, header)
        }
    }

    /// Returns the lines of the body of a request, a response or a part. Content that can't be read is shown as its
    /// size.
    static func lines(of data: Data, _ header: Header, nesting: Int = 0) -> [Line] {
        switch BodyContent(data, header) {
        case .parts(let boundary) where nesting < Redaction.maximumPartNesting:
            return FormPart.parts(of: data, boundary).flatMap { part in
                let content =
                    part.isSecret
                    ? [Line("body", part.content.base64EncodedString(), isSecret: true)]
                    : lines(of: part.content, part.header, nesting: nesting + 1)
                return [Line("body", String(decoding: part.head, as: UTF8.self))] + content
            }
        case .parts, .malformedText, .unreadable:
            return [Line("body", data.base64EncodedString(), as: "\(data.count) bytes")]
        case .text(let text, let isStructured): return lines(ofText: text, isStructured: isStructured, header)
        }
    }

    private static func lines(ofText data: Data, isStructured: Bool, _ header: Header) -> [Line] {
        if let json = try? JSONDecoder().decodeLimited(JSONValue.self, from: data) { return json.lines(at: "body") }
        let text = String(decoding: data, as: UTF8.self)
        let isForm = header[.contentType].flatMap { MediaType($0) }?.isForm == true
        guard isForm || !isStructured && text.contains("=") else {
            return text.split(separator: "\n", omittingEmptySubsequences: false).map { Line("body", String($0)) }
        }
        return text.split(separator: "&").map { item in
            let name = PercentEncoding.decoded(String(item.prefix { $0 != "=" }))
            let value = String(item.drop { $0 != "=" }.dropFirst())
            let isSecret = Redaction.isSecret(queryName: name, value: Array(value.utf8)[...])
            return Line("body.\(Redaction.escaped(name))", value, isSecret: isSecret)
        }
    }
}

extension CallOptions {
    fileprivate var lines: [PreparedRequest.Line] {
        let values: [(String, Any?)] = [
            ("timeouts.connect", timeouts.connect), ("timeouts.idle", timeouts.idle),
            ("timeouts.attempt", timeouts.attempt), ("timeouts.total", timeouts.total),
            ("redirects", redirects?.summary), ("retries", retries?.summary), ("maximumBodyBytes", maximumBodyBytes),
            ("isIntercepted", isIntercepted), ("isIdempotent", isIdempotent), ("usesCookies", usesCookies),
            ("operation", operation),
            ("cachePolicy", cachePolicy), ("networkServiceType", networkServiceType),
            ("allowsCellularAccess", allowsCellularAccess),
            ("unredactedNames", unredactedNames.isEmpty ? nil : unredactedNames.map(\.rawValue).sorted()),
            ("sensitiveQueryNames", sensitiveQueryNames.isEmpty ? nil : sensitiveQueryNames.sorted()),
        ]
        return values.compactMap { name, value in value.map { PreparedRequest.Line("options.\(name)", "\($0)") } }
    }
}

extension JSONValue {
    /// Returns a line for each plain value, named by its path. Members are sorted by name.
    fileprivate func lines(at path: String, isSecret: Bool = false) -> [PreparedRequest.Line] {
        switch self {
        case .object(let members) where !members.values.isEmpty:
            members.sorted { $0.key < $1.key }.flatMap { key, value in
                let isMemberSecret = Redaction.isSecret(jsonKey: key, value: value.text.utf8.first)
                return value.lines(at: "\(path).\(key)", isSecret: isSecret || isMemberSecret)
            }
        case .array(let elements) where !elements.isEmpty:
            elements.enumerated().flatMap { $1.lines(at: "\(path)[\($0)]", isSecret: isSecret) }
        default: [PreparedRequest.Line(path, text, isSecret: isSecret)]
        }
    }

    private var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): "\"\(Redaction.escaped(value))\""
        case .array: "[]"
        case .object: "{}"
        }
    }
}
