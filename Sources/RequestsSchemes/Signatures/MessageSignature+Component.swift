import Requests

extension MessageSignature {
    /// A part of a request that a signature covers: a header field, or a part of the request line such as `@method`.
    ///
    /// Supported are the names of header fields, `@method`, `@target-uri`, `@authority`, `@scheme`, `@request-target`,
    /// `@path`, `@query`, and ``queryParameter(_:)``.
    ///
    /// Specification: RFC 9421 §2.
    public struct Component: Hashable, ExpressibleByStringLiteral, Sendable {
        let item: StructuredField.Item

        /// Creates a component from its name. Names of header fields are case-insensitive.
        public init(_ name: String) {
            item = StructuredField.Item(.string(ASCII.lowercased(name)))
        }

        /// Creates a component from a literal.
        public init(stringLiteral value: String) {
            self.init(value)
        }

        private init(item: StructuredField.Item) {
            self.item = item
        }

        /// The value of a query item. Signing throws unless the name occurs exactly once in the query (RFC 9421
        /// §2.2.8).
        public static func queryParameter(_ name: String) -> Component {
            let name = FormText.encoded(name)
            return Component(item: StructuredField.Item(.string("@query-param"), parameters: ["name": .string(name)]))
        }
    }
}

/// The canonical text that a signature covers.
///
/// Specification: RFC 9421 §2.5.
struct SignatureBase {
    let text: String

    init(
        _ components: [MessageSignature.Component],
        _ input: StructuredField.Item,
        of request: PreparedRequest
    ) throws {
        var lines: [String] = []
        var identifiers: Set<String> = []
        for component in components {
            let identifier = try StructuredField.serialize(component.item)
            guard identifiers.insert(identifier).inserted else { throw RequestError.repeated(identifier) }
            lines.append("\(identifier): \(try SignatureBase.value(of: component, in: request))")
        }
        lines.append("\"@signature-params\": \(try StructuredField.serialize([input]))")
        text = lines.joined(separator: "\n")
    }

    private static func value(
        of component: MessageSignature.Component,
        in request: PreparedRequest
    ) throws(RequestError) -> String {
        guard case .string(let name) = component.item.value else { throw .missing(component) }
        let url = request.url
        switch name {
        case "@method": return request.method.rawValue
        case "@target-uri": return url.textBeforePath + url.target
        case "@authority": return authority(of: request)
        case "@scheme": return url.scheme
        case "@request-target": return url.target
        case "@path": return url.path.isEmpty ? "/" : url.path
        case "@query": return "?" + (url.query ?? "")
        case "@query-param":
            guard case .string(let wanted) = component.item.parameters["name"] else { throw .missing(component) }
            return try queryParameter(wanted, in: url, component)
        default:
            let values = request.header[values: Field.Name(name)]
            guard !name.hasPrefix("@"), !values.isEmpty else { throw .missing(component) }
            return values.joined(separator: ", ")
        }
    }

    /// Returns the sent host and port, in lowercase and without the scheme's default port (RFC 9421 §2.2.3).
    private static func authority(of request: PreparedRequest) -> String {
        let sent = ASCII.lowercased(request.header[.host] ?? request.url.authority)
        let port = request.url.scheme == "https" ? ":443" : ":80"
        return sent.hasSuffix(port) ? String(sent.dropLast(port.utf8.count)) : sent
    }

    private static func queryParameter(
        _ name: String,
        in url: RequestURL,
        _ component: MessageSignature.Component
    ) throws(RequestError) -> String {
        let values = (url.query ?? "").split(separator: "&").compactMap { item -> String? in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { FormText.encoded(FormText.decoded(String($0))) }
            return parts[0] == name ? (parts.count > 1 ? parts[1] : "") : nil
        }
        guard values.count < 2 else { throw .repeated(inQuery: component, values.count) }
        guard let value = values.first else { throw .missing(component) }
        return value
    }
}

/// The encoding of query names and values in RFC 9421, which is that of forms, but with `%20` for a space.
private enum FormText {
    private static let unchanged = ByteSet(alphanumericsAnd: "*-._")

    static func decoded(_ text: String) -> String {
        PercentEncoding.decoded(String(text.map { $0 == "+" ? " " : $0 }))
    }

    static func encoded(_ text: String) -> String { PercentEncoding.encoded(text, keeping: unchanged) }
}

extension RequestError {
    fileprivate static func repeated(_ identifier: String) -> RequestError {
        RequestError(
            code: .invalidCredentials,
            subject: identifier,
            message: "The signature covers \(identifier) twice. List each component once."
        )
    }

    fileprivate static func missing(_ component: MessageSignature.Component) -> RequestError {
        let name = (try? StructuredField.serialize(component.item)) ?? "a component"
        return RequestError(
            code: .invalidCredentials,
            subject: name,
            message: "The request has no \(name), so it can't be signed. Add it, or don't list it."
        )
    }

    fileprivate static func repeated(inQuery component: MessageSignature.Component, _ count: Int) -> RequestError {
        let name = (try? StructuredField.serialize(component.item)) ?? "a component"
        return RequestError(
            code: .invalidCredentials,
            subject: name,
            message: "The query has \(count) items \(name), so they can't be signed. Send only one, or don't list it."
        )
    }
}
