import Requests

extension StubTransport.Condition {
    /// The body is JSON with this value. Whitespace and the order of members are ignored.
    ///
    /// - Parameters:
    ///   - value: The value of the whole body.
    ///   - anyOrder: Whether the order of elements in arrays is ignored, too. Default: `false`.
    public static func json(_ value: JSONValue, anyOrder: Bool = false) -> Self {
        json(value, JSONValue.Comparison(anyOrder: anyOrder), found: "the body has this value")
    }

    /// The body is JSON that contains this value: each object has at least these members, at any depth.
    ///
    /// - Parameters:
    ///   - value: The value that the whole body contains.
    ///   - anyOrder: Whether each array has at least these elements, in any order. Default: `false`, which means that
    ///     arrays have as many elements, each of which contains the one in its place.
    public static func json(containing value: JSONValue, anyOrder: Bool = false) -> Self {
        json(value, JSONValue.Comparison(anyOrder: anyOrder, containing: true), found: "the body contains this value")
    }

    private static func json(_ value: JSONValue, _ comparison: JSONValue.Comparison, found: String) -> Self {
        Self(
            differences: { request in
                guard let sent = request.json else { return [.notJSON] }
                let mismatches = sent.mismatches(with: value, comparison)
                guard !mismatches.isEmpty else { return [] }
                // Each difference counts as its share of the body.
                let weight = 1 / Double(max(mismatches.count, sent.leafCount))
                return mismatches.map {
                    Difference(at: $0.path, $0.sent, not: $0.expected.shown, hides: request.hidesBody, weight: weight)
                }
            },
            found: { _ in found }
        )
    }

    /// The body is JSON that has a value at a path.
    ///
    /// - Parameters:
    ///   - path: The keys and array indexes, separated by dots, such as `items.0.id`.
    ///   - value: The value. Default: `nil`, which accepts any value.
    public static func json(at path: String, _ value: JSONValue? = nil) -> Self {
        json(at: path) { found, hides in
            guard let value, let mismatch = found.mismatches(with: value).first else { return nil }
            let path = JSONValue.path(path, mismatch.path)
            return Difference(at: path, mismatch.sent, not: mismatch.expected.shown, hides: hides, weight: 0.5)
        }
    }

    /// The body is JSON whose value at a path satisfies a closure.
    ///
    /// ```swift
    /// let isNamed = StubTransport.Condition.json(at: "user") {
    ///     $0["name"]?.string?.isEmpty == false
    /// }
    /// ```
    public static func json(at path: String, where isMet: @escaping @Sendable (_ value: JSONValue) -> Bool) -> Self {
        json(at: path) { found, hides in
            isMet(found) ? nil : Difference(at: path, found, not: nil, hides: hides, weight: 0.5)
        }
    }

    private static func json(
        at path: String,
        _ difference: @escaping @Sendable (JSONValue, _ hides: Bool) -> Difference?
    ) -> Self {
        Self(
            differences: { request in
                guard let sent = request.json else { return [.notJSON] }
                guard let found = sent.value(at: path) else {
                    return [Difference(at: path, nil, not: nil, hides: false)]
                }
                return difference(found, request.hidesBody).map { [$0] } ?? []
            },
            found: { _ in "the body has \(Redaction.quoted(path))" }
        )
    }
}

extension Difference {
    fileprivate static let notJSON = Difference(description: "the body isn't JSON")

    /// - Parameters:
    ///   - expected: `nil` if a closure decides.
    ///   - hides: Whether no value of the body is shown.
    fileprivate init(
        at path: String,
        _ sent: JSONValue?,
        not expected: [String]?,
        hides: Bool,
        weight: Double = 1
    ) {
        let subject = path.isEmpty ? "the body" : "the JSON value \(Redaction.quoted(path))"
        let isSecret = hides || path.split(separator: ".").contains { Redaction.isSensitive(jsonKey: $0) }
        self.init(subject, sent.shown, not: expected, isSecret: isSecret, weight: weight)
    }
}

extension JSONValue? {
    /// The value for a message. Empty if it is missing.
    fileprivate var shown: [String] {
        switch self {
        case nil: []
        case .string(let text): [Redaction.quoted(text)]
        case .array: ["an array"]
        case .object: ["an object"]
        case .some(let value): [value.description]
        }
    }
}
