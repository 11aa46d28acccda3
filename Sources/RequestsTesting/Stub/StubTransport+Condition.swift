import Requests

extension StubTransport {
    /// A condition that a request must meet, in addition to the method and the template of its route.
    public struct Condition: Sendable {
        /// Returns the differences. Empty if the request meets the condition.
        let differences: @Sendable (ParsedRequest) -> [Difference]
    }
}

extension StubTransport.Condition {
    private init(_ difference: @escaping @Sendable (ParsedRequest) -> String?) {
        differences = { request in difference(request).map { [Difference(description: $0)] } ?? [] }
    }

    /// The request's `PreparedRequest.operation` has this name, such as `/users/{}`.
    public static func operation(_ name: String) -> Self {
        Self { request in
            guard request.request.operation != name else { return nil }
            let sent = request.request.operation.map { Redaction.quoted($0) } ?? "unknown"
            return "the operation is \(sent), not \(Redaction.quoted(name))"
        }
    }

    /// The request has a query item with a name and, optionally, a value.
    ///
    /// - Parameters:
    ///   - name: The decoded name.
    ///   - value: The decoded value. Default: `nil`, which accepts any value.
    public static func query(_ name: String, _ value: String? = nil) -> Self {
        Self { request in
            let items = request.items.filter { $0.name == name }
            if items.isEmpty { return "the query item \(Redaction.quoted(name)) is missing" }
            if value == nil || items.contains(where: { $0.value == value }) { return nil }
            return "the query item \(Redaction.quoted(name)) differs"
        }
    }

    /// The request has a header field with a name and, optionally, a value.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - value: The value. The values of repeated fields are joined with `, `. Default: `nil`, which accepts any
    ///     value.
    public static func header(_ name: Field.Name, _ value: String? = nil) -> Self {
        Self { request in
            guard let sent = request.request.header[name] else { return "the header field \(name) is missing" }
            guard let value, sent != value else { return nil }
            if request.request.header.contains(where: { $0.name == name && $0.isSensitive }) {
                return "the header field \(name) differs"
            }
            return "the header field \(name) is \(Redaction.quoted(sent)), not \(Redaction.quoted(value))"
        }
    }

    /// The body equals these bytes.
    public static func body(_ data: Data) -> Self {
        Self { request in
            guard let sent = request.request.body.data else { return "there is no body" }
            guard sent != data else { return nil }
            let same = zip(sent, data).prefix { $0 == $1 }.count
            return "the body differs starting at byte \(same + 1)"
        }
    }

    /// The body equals this text in UTF-8.
    public static func body(text: String) -> Self { body(Data(text.utf8)) }

    /// The body is a form (`application/x-www-form-urlencoded`) that has a field. `Content-Type` isn't checked.
    ///
    /// - Parameters:
    ///   - name: The decoded name.
    ///   - value: The decoded value. Default: `nil`, which accepts any value.
    public static func form(_ name: String, _ value: String? = nil) -> Self {
        Self { request in
            let text = request.request.body.data.flatMap { String(validating: $0, as: UTF8.self) } ?? ""
            // In a form, unlike in a URL, `+` means a space.
            let items = QueryItem.items(of: text.replacing("+", with: "%20")[...]).filter { $0.name == name }
            if items.isEmpty { return "the form field \(Redaction.quoted(name)) is missing" }
            if value == nil || items.contains(where: { $0.value == value }) { return nil }
            return "the form field \(Redaction.quoted(name)) differs"
        }
    }

    /// The body is JSON with this value. Whitespace and the order of members are ignored.
    public static func json(_ value: JSONValue) -> Self {
        Self(differences: { request in
            guard let sent = request.json else { return [.notJSON] }
            return sent.paths(differingFrom: value).map { path in
                let place = path.isEmpty ? "" : " in \(Redaction.quoted(path))"
                return Difference(description: "the body differs\(place)")
            }
        })
    }

    /// The body is JSON that has a value at a path.
    ///
    /// - Parameters:
    ///   - path: The keys and array indexes, separated by dots, such as `items.0.id`.
    ///   - value: The value. Default: `nil`, which accepts any value.
    public static func json(at path: String, _ value: JSONValue? = nil) -> Self {
        Self(differences: { request in
            guard let sent = request.json else { return [.notJSON] }
            guard let found = sent.value(at: path) else {
                return [Difference(description: "the body has no \(Redaction.quoted(path))")]
            }
            guard let value, !found.paths(differingFrom: value).isEmpty else { return [] }
            return [Difference(description: "the body differs in \(Redaction.quoted(path))")]
        })
    }

    /// The request satisfies a predicate.
    ///
    /// - Parameters:
    ///   - name: A noun for requests that satisfy the predicate, such as `a signed request`. An unmatched request's
    ///     error contains "it isn't" and this name.
    ///   - isMet: Returns whether the request meets the condition.
    public static func predicate(_ name: String, _ isMet: @escaping @Sendable (PreparedRequest) -> Bool) -> Self {
        Self { request in isMet(request.request) ? nil : "it isn't \(name)" }
    }

    /// The request doesn't meet a condition.
    ///
    /// - Parameters:
    ///   - condition: The condition.
    ///   - name: A word for requests that meet the condition. An unmatched request's error contains "it is" and this
    ///     word. Default: `excluded`.
    public static func not(_ condition: Self, _ name: String = "excluded") -> Self {
        Self { request in condition.differences(request).isEmpty ? "it is \(name)" : nil }
    }
}

extension Difference {
    fileprivate static let notJSON = Difference(description: "the body isn't JSON")
}

extension ParsedRequest {
    fileprivate var json: JSONValue? { request.body.data.flatMap { JSONValue(parsing: $0) } }
}
