extension Endpoint {
    /// Creates an endpoint from a URI template.
    ///
    /// ```swift
    /// let users = try Endpoint(template: "/users/{id}{?page,tags*}", ["id": 7, "tags": ["a", "b"]])
    /// ```
    ///
    /// The path is below the base URL. The query follows the base URL's and precedes the request's query items. A `.`
    /// or `..` segment makes the build throw.
    ///
    /// - Throws: ``RequestError/Code/invalidTemplate`` if the template is malformed, doesn't accept its values, or
    ///   expands to a fragment, which is never sent.
    ///
    /// Specification: RFC 6570.
    public init(template: String, _ variables: [String: URITemplate.Value] = [:]) throws(RequestError) {
        let text = try URITemplate(template).expanded(with: variables)
        guard !text.utf8.contains(UInt8(ascii: "#")) else {
            throw .invalidTemplate(template, "expands to a fragment, which is never sent")
        }
        let mark = text.utf8.firstIndex(of: UInt8(ascii: "?"))
        self.init(
            path: String(text[..<(mark ?? text.endIndex)]),
            query: mark.map { String(text[text.utf8.index(after: $0)...]) }
        )
    }
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
