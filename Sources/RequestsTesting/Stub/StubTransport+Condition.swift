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
            guard sent != data else { return nil }
            let same = zip(sent, data).prefix { $0 == $1 }.count
            let description = "the body differs starting at byte \(same + 1)"
            return Difference(description: description, weight: dissimilarity(sent, data))
        }
    }

    /// The body equals this text in UTF-8.
    public static func body(text: String) -> Self { body(Data(text.utf8)) }

    /// The body is text in UTF-8 that satisfies a closure.
    public static func body(where isMet: @escaping @Sendable (_ text: String) -> Bool) -> Self {
        Self(found: "the body satisfies the condition") { request in
            guard let text = request.text else { return Difference(description: "the body isn't text") }
            return isMet(text) ? nil : Difference(description: "the body differs", weight: 0.5)
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
    ///   - shows: Whether an error may contain the values. Default: never, because they may be secrets.
    private static func value(
        _ subject: String,
        _ expected: String?,
        _ test: Test? = nil,
        shows: @escaping @Sendable (ParsedRequest) -> Bool = { _ in false },
        in values: @escaping @Sendable (ParsedRequest) -> [String?]
    ) -> Self {
        let allows = test ?? { expected == nil || $0 == expected }
        return Self(
            differences: { request in
                let sent = values(request).map { $0 ?? "" }
                guard let first = sent.first else { return [Difference(description: "\(subject) is missing")] }
                guard !sent.contains(where: allows) else { return [] }
                guard let expected else { return [Difference(description: "\(subject) differs", weight: 0.5)] }
                let description =
                    shows(request)
                    ? "\(subject) is \(Redaction.quoted(first)), not \(Redaction.quoted(expected))"
                    : "\(subject) differs"
                return [Difference(description: description, weight: dissimilarity(first, expected) / 2)]
            },
            found: { request in
                guard shows(request), let value = values(request).first else { return "\(subject) was found" }
                return "\(subject) is \(Redaction.quoted(value ?? ""))"
            }
        )
    }

    private static func query(_ name: String, _ expected: String?, _ test: Test?) -> Self {
        value("the query item \(Redaction.quoted(name))", expected, test) { request in
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
    public static func query(exactly query: Query) -> Self { items("query", query) { $0.items } }

    private static func header(_ name: Field.Name, _ expected: String?, _ test: Test?) -> Self {
        value(
            "the header field \(name)",
            expected,
            test,
            shows: { request in !request.request.header.contains { $0.name == name && $0.isSensitive } },
            in: { $0.request.header[name].map { [$0] } ?? [] }
        )
    }

    /// The request has a header field with a name and, optionally, a value.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - value: The value. The values of repeated fields are joined with `, `. Default: `nil`, which accepts any
    ///     value.
    public static func header(_ name: Field.Name, _ value: String? = nil) -> Self { header(name, value, nil) }

    /// The request has a header field with a name, and a value that satisfies a closure.
    public static func header(_ name: Field.Name, where isMet: @escaping @Sendable (_ value: String) -> Bool) -> Self {
        header(name, nil, isMet)
    }

    /// The request has a cookie with a name and, optionally, a value. Default: any value.
    public static func cookie(_ name: String, _ value: String? = nil) -> Self {
        Self.value("the cookie \(Redaction.quoted(name))", value) { request in
            request.cookies.filter { $0.name == name }.map { $0.value.map(String.init) }
        }
    }

    /// The request has these credentials of basic authentication (RFC 7617).
    public static func basicAuth(username: String, password: String) -> Self {
        value("the user of basic authentication", "\(username):\(password)") { request in
            guard let (scheme, encoded) = request.request.header[.authorization]?.split(at: " "),
                scheme.lowercased() == "basic", let data = encoded.flatMap({ Data(base64Encoded: String($0)) })
            else { return [] }
            return [String(decoding: data, as: UTF8.self)]
        }
    }

    private static func form(_ name: String, _ expected: String?, _ test: Test?) -> Self {
        value("the form field \(Redaction.quoted(name))", expected, test) { request in
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
    public static func form(exactly fields: Query) -> Self { items("form", fields) { $0.form } }

    /// The body is a multipart form that has a part with a name and, optionally, a content. Default: any content.
    public static func multipart(_ name: String, _ content: Data? = nil) -> Self {
        // The line break before the next delimiter isn't part of the content.
        value("the part \(Redaction.quoted(name))", content?.base64EncodedString()) { request in
            request.parts.filter { String(decoding: $0.head, as: UTF8.self).contains("; name=\"\(name)\"") }
                .map { $0.content.dropLast(2).base64EncodedString() }
        }
    }

    /// Compares all items of a query or a form, whatever their order.
    private static func items(
        _ noun: String,
        _ expected: Query,
        _ sent: @escaping @Sendable (ParsedRequest) -> [QueryItem]
    ) -> Self {
        let counts = expected.items.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return Self(
            differences: { request in
                let sent = sent(request).map { URLQueryItem(name: $0.name, value: $0.value) }
                    .reduce(into: [:]) { $0[$1, default: 0] += 1 }
                let different = Set(counts.keys).union(sent.keys).filter { counts[$0] != sent[$0] }
                return Set(different.map(\.name)).sorted().map { name in
                    let name = Redaction.quoted(name)
                    let weight = 1 / Double(max(counts.count, sent.count, 1))
                    return Difference(description: "the \(noun) differs in \(name)", weight: weight)
                }
            },
            found: { _ in "the \(noun) has exactly these items" }
        )
    }
}
