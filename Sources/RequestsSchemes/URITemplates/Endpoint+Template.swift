import Requests

extension Endpoint {
    /// Creates an endpoint from a URI template.
    ///
    /// ```swift
    /// let page: Int? = nil
    /// let users = try Endpoint(
    ///     template: "/users/{id}{?page,tags*}",
    ///     ["id": 7, "page": page, "tags": ["a", "b"]]
    /// )
    /// ```
    ///
    /// The path is below the base URL. The query follows the base URL's and precedes the request's query items. A `.`
    /// or `..` segment makes building throw.
    ///
    /// - Parameters:
    ///   - template: The template.
    ///   - variables: The values by name. `nil` leaves a variable out, like a missing name. Pass names and values as
    ///     ``URITemplate/Value/pairs(_:)``.
    /// - Throws: `RequestError.Code.invalidTemplate` if the template is malformed, doesn't accept its values, or
    ///   expands to a fragment, which is never sent. `RequestError.Code.invalidEndpoint` if it is an absolute URL,
    ///   which is for `Endpoint(absolute:_:origin:)`.
    ///
    /// Specification: RFC 6570.
    public init(template: String, _ variables: [String: (any Query.Values)?] = [:]) throws(RequestError) {
        let text = try URITemplate(template).expanded(with: variables.mapValues(URITemplate.Value.init))
        guard text.originLength == 0 else { throw .absoluteEndpoint(template) }
        guard !text.utf8.contains(UInt8(ascii: "#")) else {
            throw .invalidTemplate(template, "expands to a fragment, which is never sent")
        }
        let (path, query) = text.split(at: "?")
        self.init(path: String(path), query: query.map(String.init), template: template)
    }

    /// Creates an endpoint from the template of an absolute URL that a server sent.
    ///
    /// ```swift
    /// // Such as the `upload_url` of a release on GitHub.
    /// let uploadURL = "https://uploads.example.com/releases/1/assets{?name,label}"
    /// let upload = try Endpoint(
    ///     absolute: uploadURL,
    ///     ["name": "a.zip", "label": nil],
    ///     origin: .any
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - template: The template. Its scheme and host must be literals, so that a value can't change them.
    ///   - variables: The values by name, as in `Endpoint(template:_:)`.
    ///   - rule: Whether the URL may lead away from the API, as in `Endpoint(absolute:origin:)`.
    /// - Throws: `RequestError.Code.invalidTemplate` if the template is malformed or doesn't accept its values.
    ///   `RequestError.Code.invalidEndpoint` if it isn't an absolute URL, or a value is part of the host.
    ///
    /// Specification: RFC 6570.
    public init(
        absolute template: String,
        _ variables: [String: (any Query.Values)?] = [:],
        origin rule: OriginRule
    ) throws(RequestError) {
        let literal = Substring(template.utf8.prefix { $0 != UInt8(ascii: "{") })
        let length = literal.originLength
        guard length > 0 else { throw .notAnAbsoluteURL(template) }
        // Not expanded, because a Unicode host isn't percent-encoded.
        let origin = Substring(template.utf8.prefix(length))
        let rest = try URITemplate(String(Substring(template.utf8.dropFirst(length))))
            .expanded(with: variables.mapValues(URITemplate.Value.init))
        guard rest.utf8.first.map({ "/?#".utf8.contains($0) }) ?? true else { throw .hostIsNotLiteral }
        self.init(link: origin + rest, origin: rule)
    }
}

extension URITemplate.Value {
    /// The value of a variable from the types that a query accepts.
    fileprivate init(_ value: (any Query.Values)?) {
        switch value {
        case nil: self = .undefined
        case let value as URITemplate.Value: self = value
        case let values as [any Query.Values]: self = .list(values.flatMap(\.queryValues))
        case let value?:
            let texts = value.queryValues
            self = texts.count == 1 ? .string(texts[0]) : .list(texts)
        }
    }
}

extension URITemplate.Value: Query.Values {
    /// The strings of the value: for pairs, those after the names.
    public var queryValues: [String] {
        switch self {
        case .string(let text): [text]
        case .list(let items): items
        case .pairs(let pairs): pairs.map(\.value)
        case .undefined: []
        }
    }
}

extension RequestError.Code {
    /// A URI template is malformed, or doesn't accept the given values (RFC 6570).
    public static let invalidTemplate = Self(rawValue: "invalidTemplate")
}

extension RequestError {
    /// An error in an expression of a URI template.
    static func invalidTemplate(_ expression: some StringProtocol, _ reason: String) -> RequestError {
        RequestError(
            code: .invalidTemplate,
            subject: String(expression),
            message: "The template expression \(Redaction.quoted("{\(expression)}")) \(reason)."
        )
    }

    /// An error for a brace without its counterpart.
    ///
    /// - Parameter rest: The template from the brace on.
    static func unbalancedTemplate(_ rest: Substring) -> RequestError {
        RequestError(
            code: .invalidTemplate,
            subject: String(rest.dropFirst().prefix(40)),
            message: "The template expression at \(Redaction.quoted(String(rest.prefix(40)))) has no "
                + (rest.first == "{" ? "closing brace." : "opening brace.")
        )
    }
}
