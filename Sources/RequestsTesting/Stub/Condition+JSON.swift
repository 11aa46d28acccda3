import Requests

extension StubTransport.Condition {
    /// The body is JSON with this value. Whitespace and the order of members are ignored.
    ///
    /// - Parameters:
    ///   - value: The value of the whole body.
    ///   - anyOrder: Whether the order of elements in arrays is ignored, too. Default: `false`.
    public static func json(_ value: JSONValue, anyOrder: Bool = false) -> Self {
        json(found: "the body has this value") { sent in
            sent.paths(differingFrom: value, anyOrder ? .anyOrder : .equal)
        }
    }

    /// The body is JSON that contains this value: each object has at least these members, at any depth. Arrays have as
    /// many elements, each of which contains the one in its place.
    public static func json(containing value: JSONValue) -> Self {
        json(found: "the body contains this value") { $0.paths(differingFrom: value, .containing) }
    }

    private static func json(
        found: String,
        _ paths: @escaping @Sendable (JSONValue) -> [String]
    ) -> Self {
        Self(
            differences: { request in
                guard let sent = request.json else { return [.notJSON] }
                let paths = paths(sent)
                // Each difference counts as its share of the body.
                let weight = 1 / Double(max(paths.count, sent.leafCount, 1))
                return paths.map { path in
                    let place = path.isEmpty ? "" : " in \(Redaction.quoted(path))"
                    return Difference(description: "the body differs\(place)", weight: weight)
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
        json(at: path) { found in value.map { found.paths(differingFrom: $0, .equal).isEmpty } ?? true }
    }

    /// The body is JSON whose value at a path satisfies a closure.
    ///
    /// ```swift
    /// let isAdult = StubTransport.Condition.json(at: "age") {
    ///     if case .integer(18...) = $0 { true } else { false }
    /// }
    /// ```
    public static func json(
        at path: String,
        where isMet: @escaping @Sendable (_ value: JSONValue) -> Bool
    ) -> Self {
        Self(
            differences: { request in
                guard let sent = request.json else { return [.notJSON] }
                guard let found = sent.value(at: path) else {
                    return [Difference(description: "the body has no \(Redaction.quoted(path))")]
                }
                if isMet(found) { return [] }
                return [Difference(description: "the body differs in \(Redaction.quoted(path))", weight: 0.5)]
            },
            found: { _ in "the body has \(Redaction.quoted(path))" }
        )
    }
}

extension Difference {
    fileprivate static let notJSON = Difference(description: "the body isn't JSON")
}
