import Requests

extension StubTransport {
    /// A condition that a request must meet, in addition to the method and the template of its route.
    ///
    /// Closures receive decoded values. They can be called more than once.
    public struct Condition: Sendable {
        /// Returns the differences. Empty if the request meets the condition.
        let differences: @Sendable (ParsedRequest) -> [Difference]
        /// Returns a description of what meets the condition, without secrets.
        let found: @Sendable (ParsedRequest) -> String
    }
}

extension StubTransport.Condition {
    fileprivate init(
        found: @escaping @autoclosure @Sendable () -> String,
        _ difference: @escaping @Sendable (ParsedRequest) -> Difference?
    ) {
        self.init(
            differences: { request in difference(request).map { [$0] } ?? [] },
            found: { _ in found() }
        )
    }

    /// The request's `PreparedRequest.operation` has this name, such as `/users/{}`.
    public static func operation(_ name: String) -> Self {
        Self(found: "the operation is \(Redaction.quoted(name))") { request in
            guard request.request.operation != name else { return nil }
            let sent = request.request.operation.map { Redaction.quoted($0) } ?? "unknown"
            return Difference(description: "the operation is \(sent), not \(Redaction.quoted(name))")
        }
    }

    /// The body equals these bytes.
    public static func body(_ data: Data) -> Self {
        Self(found: "the body has these \(data.count) bytes") { request in
            guard let sent = request.request.body.data else { return Difference(description: "there is no body") }
            return sent == data ? nil : Difference("the body", sent, not: data)
        }
    }

    /// The body equals this text in UTF-8.
    public static func body(text: String) -> Self { body(Data(text.utf8)) }

    /// The body is text in UTF-8 that satisfies a closure.
    public static func body(where isMet: @escaping @Sendable (_ text: String) -> Bool) -> Self {
        Self(found: "the body satisfies the condition") { request in
            guard let text = request.text else { return Difference(description: "the body isn't text") }
            return isMet(text) ? nil : Difference("the body", [text], not: nil, isSecret: true, weight: 0.5)
        }
    }

    /// The request satisfies a predicate.
    ///
    /// - Parameters:
    ///   - name: A noun for requests that satisfy the predicate, such as `a signed request`. An unmatched request's
    ///     error contains "it isn't" and this name.
    ///   - isMet: Returns whether the request meets the condition.
    public static func predicate(_ name: String, _ isMet: @escaping @Sendable (PreparedRequest) -> Bool) -> Self {
        Self(found: "it is \(name)") { request in
            isMet(request.request) ? nil : Difference(description: "it isn't \(name)")
        }
    }

    /// The request doesn't meet a condition. An unmatched request's error says what was found.
    public static func not(_ condition: Self) -> Self {
        Self(
            differences: { request in
                let isMet = condition.differences(request).isEmpty
                return isMet ? [Difference(description: "\(condition.found(request)), which is excluded")] : []
            },
            found: { condition.differences($0).summary }
        )
    }

    /// The request meets at least one of the conditions. An unmatched request's error names the closest one.
    public static func any(_ conditions: Self...) -> Self {
        Self(
            differences: { request in
                let differences = conditions.map { $0.differences(request) }
                return differences.min { $0.isCloser(than: $1) }
                    ?? [Difference(description: "no condition can be met, because .any() has none")]
            },
            found: { request in
                conditions.first { $0.differences(request).isEmpty }?.found(request) ?? "no condition is met"
            }
        )
    }
}

// MARK: - Query, header, form and cookies

extension StubTransport.Condition {
    fileprivate typealias Test = @Sendable (_ value: String) -> Bool

    /// Checks that at least one of the values of a name is an expected one or passes a test.
    ///
    /// - Parameters:
    ///   - subject: The kind and the name of the value.
    ///   - expected: The value. `nil` accepts any value.
    ///   - test: Replaces the comparison with the expected value.
    ///   - isSecret: Whether an error must not contain the values, including the expected one.
    private static func value(
        _ subject: String,
        _ expected: String?,
        _ test: Test? = nil,
        isSecret: @escaping @Sendable (ParsedRequest, [String?]) -> Bool,
        in values: @escaping @Sendable (ParsedRequest) -> [String?]
    ) -> Self {
        let allows = test ?? { expected == nil || $0 == expected }
        return Self(
            differences: { request in
                let sent = values(request)
                guard !sent.contains(where: { allows($0 ?? "") }) else { return [] }
                let hides = isSecret(request, sent + [expected])
                let gap = sent.first.map { first in expected.map { dissimilarity(first ?? "", $0) / 2 } ?? 0.5 } ?? 1
                let wanted = expected.map { [$0].quoted }
                return [Difference(subject, sent.quoted, not: wanted, isSecret: hides, weight: gap)]
            },
            found: { request in
                let sent = values(request)
                let isShown = (expected != nil || test != nil) && !isSecret(request, sent)
                return "\(subject) \(isShown ? "is \(sent.quoted.joined(separator: ", "))" : "was found")"
            }
        )
    }

    private static func query(_ name: String, _ expected: String?, _ test: Test?) -> Self {
        let subject = "the query item \(Redaction.quoted(name))"
        return value(subject, expected, test, isSecret: { $0.isSecret(name, $1) }) { request in
            request.items.filter { $0.name == name }.map(\.value)
        }
    }

    /// The request has a query item with a name and, optionally, a value.
    ///
    /// - Parameters:
    ///   - name: The decoded name.
    ///   - value: The decoded value. Default: `nil`, which accepts any value.
    public static func query(_ name: String, _ value: String? = nil) -> Self { query(name, value, nil) }

    /// The request has a query item with a name, and a value that satisfies a closure, such as
    /// `{ $0.contains(/^[a-z]+$/) }`.
    public static func query(_ name: String, where isMet: @escaping @Sendable (_ value: String) -> Bool) -> Self {
        query(name, nil, isMet)
    }

    /// The request has these query items in any order, and no others.
    public static func query(exactly query: Query) -> Self { items("query item", query) { ($0.items, false) } }

    private static func header(_ name: Field.Name, _ expected: String?, _ test: Test?) -> Self {
        value(
            "the header field \(name)",
            expected,
            test,
            isSecret: { request, _ in request.request.header.contains { $0.name == name && $0.isSensitive } },
            in: { $0.request.header[name].map { [$0] } ?? [] }
        )
    }

    /// The request has a header field with a name and, optionally, a value.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - value: The value. A list such as `no-cache, no-store` matches one field or several, whatever the whitespace
    ///     at its commas (RFC 9110 §5.3). Default: `nil`, which accepts any value.
    public static func header(_ name: Field.Name, _ value: String? = nil) -> Self {
        guard let elements = value?.listElements(hasEscapes: true) else { return header(name, nil, nil) }
        return header(name, value) { $0.listElements(hasEscapes: true) == elements }
    }

    /// The request has a header field with a name, and a value that satisfies a closure. The values of repeated fields
    /// are joined with `,`.
    public static func header(_ name: Field.Name, where isMet: @escaping @Sendable (_ value: String) -> Bool) -> Self {
        header(name, nil, isMet)
    }

    /// The request has a cookie with a name and, optionally, a value. Default: any value.
    public static func cookie(_ name: String, _ value: String? = nil) -> Self {
        Self.value("the cookie \(Redaction.quoted(name))", value, isSecret: { _, _ in true }) { request in
            request.cookies.filter { $0.name == name }.map { $0.value.map(String.init) }
        }
    }

    /// The request has these credentials of basic authentication (RFC 7617).
    public static func basicAuth(username: String, password: String) -> Self {
        Self(found: "the user of basic authentication was found") { request in
            guard let (scheme, encoded) = request.request.header[.authorization]?.split(at: " "),
                scheme.lowercased() == "basic", let data = encoded.flatMap({ Data(base64Encoded: String($0)) })
            else { return Difference(description: "the user of basic authentication is missing") }
            let sent = String(decoding: data, as: UTF8.self)
            guard sent != "\(username):\(password)" else { return nil }
            let part = sent.hasPrefix("\(username):") ? "password" : "user"
            return Difference(description: "the \(part) of basic authentication differs", weight: 0.5)
        }
    }

    private static func form(_ name: String, _ expected: String?, _ test: Test?) -> Self {
        let subject = "the form field \(Redaction.quoted(name))"
        return value(subject, expected, test, isSecret: { $0.hidesBody || $0.isSecret(name, $1) }) { request in
            request.form.filter { $0.name == name }.map(\.value)
        }
    }

    /// The body is a form (`application/x-www-form-urlencoded`) that has a field. `Content-Type` isn't checked.
    ///
    /// - Parameters:
    ///   - name: The decoded name.
    ///   - value: The decoded value. Default: `nil`, which accepts any value.
    public static func form(_ name: String, _ value: String? = nil) -> Self { form(name, value, nil) }

    /// The body is a form that has a field whose value satisfies a closure.
    public static func form(_ name: String, where isMet: @escaping @Sendable (_ value: String) -> Bool) -> Self {
        form(name, nil, isMet)
    }

    /// The body is a form with these fields in any order, and no others. `Content-Type` isn't checked.
    public static func form(exactly fields: Query) -> Self { items("form field", fields) { ($0.form, $0.hidesBody) } }

    /// The body is a multipart form that has a part.
    ///
    /// - Parameters:
    ///   - name: The name of the part.
    ///   - content: The bytes. Default: `nil`, which accepts any content.
    ///   - filename: The filename. Default: `nil`, which accepts any filename, and none.
    ///   - contentType: The media type with its parameters. Default: `nil`, which accepts any type, and none.
    public static func multipart(
        _ name: String,
        _ content: Data? = nil,
        filename: String? = nil,
        contentType: MediaType? = nil
    ) -> Self {
        let subject = "the part \(Redaction.quoted(name))"
        return Self(found: "\(subject) was found") { request in
            // The line break before the next delimiter isn't part of the content.
            let all = request.parts.map { (String(decoding: $0.head, as: UTF8.self), content: $0.content.dropLast(2)) }
            let parts = all.filter { $0.0.contains("; name=\"\(Multipart.Part.escaped(name))\"") }
            guard !parts.isEmpty else { return Difference(description: "\(subject) is missing") }
            let file = filename.map { "; filename=\"\(Multipart.Part.escaped($0))\"" }
            let fields = [file, contentType.map { "Content-Type: \($0)\r\n" }]
            let sent = parts.filter { part in fields.allSatisfy { $0.map(part.0.contains) ?? true } }.map(\.content)
            let names = filename == nil ? "type" : contentType == nil ? "filename" : "filename or type"
            guard let first = sent.first else { return Difference(description: "\(subject) has another \(names)") }
            return content.flatMap { sent.contains($0) ? nil : Difference(subject, first, not: $0) }
        }
    }

    /// Compares all items of a query or a form, whatever their order.
    private static func items(
        _ noun: String,
        _ expected: Query,
        _ sent: @escaping @Sendable (ParsedRequest) -> (items: [QueryItem], areSecret: Bool)
    ) -> Self {
        let expected = Dictionary(grouping: expected.items, by: \.name).mapValues { $0.map(\.value).inOrder }
        return Self(
            differences: { request in
                let (items, areSecret) = sent(request)
                let sent = Dictionary(grouping: items, by: \.name).mapValues { $0.map(\.value).inOrder }
                let weight = 1 / Double(max(expected.count, sent.count, 1))
                return Set(expected.keys).union(sent.keys).sorted().compactMap { name in
                    let (found, wanted) = (sent[name] ?? [], expected[name] ?? [])
                    if found == wanted { return nil }
                    let isSecret = areSecret || request.isSecret(name, found + wanted)
                    let subject = "the \(noun) \(Redaction.quoted(name))"
                    return Difference(subject, found.quoted, not: wanted.quoted, isSecret: isSecret, weight: weight)
                }
            },
            found: { _ in "it has exactly these \(noun)s" }
        )
    }
}
