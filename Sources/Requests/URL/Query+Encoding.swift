import Foundation

extension Query {
    /// Creates a query from the keys of an `Encodable` value.
    ///
    /// ```swift
    /// struct Search: Encodable { var text: String; var tags: [String]; var perPage: Int? }
    /// let search = Search(text: "a b", tags: ["x", "y"])
    /// let found = try request.with(query: .encoding(search))      // ?text=a%20b&tags=x&tags=y
    /// ```
    ///
    /// Numbers are written as in Swift, `Data` in Base64, `URL` as an absolute string. The items of a dictionary are
    /// sorted by name, because a dictionary has no order.
    ///
    /// - Parameters:
    ///   - value: A value with keys: a type with properties, or a dictionary with string keys.
    ///   - style: How names and values are written; see ``Style`` for the defaults.
    /// - Throws: `EncodingError` if the value has no keys, if a number isn't finite, or if the style can't represent
    ///   the value.
    public static func encoding(_ value: some Encodable, style: Style = Style()) throws -> Query {
        let root = try QueryEncoder.tree(of: value, style)
        guard case .object = root else {
            let context = EncodingError.Context(
                codingPath: [],
                debugDescription: "A query needs a name for each value. Encode a type with properties or a dictionary."
            )
            // The type instead of the value, which may be a secret.
            throw EncodingError.invalidValue(type(of: value), context)
        }
        var items: [URLQueryItem] = []
        try root.append(to: &items, as: nil, style)
        guard style.isSorted else { return Query(items) }
        // Not by `<`, which compares normal forms.
        let sorted = items.enumerated().sorted { left, right in
            let (name, other) = (left.element.name.utf8, right.element.name.utf8)
            return name.lexicographicallyPrecedes(other)
                || left.offset < right.offset && !other.lexicographicallyPrecedes(name)
        }
        return Query(sorted.map(\.element))
    }
}

/// The structure of an encoded value.
enum QueryTree {
    /// A single value, or `nil`.
    case leaf(String?)
    case list([QueryTree])
    case object([(key: String, value: QueryTree)])

    fileprivate func append(to items: inout [URLQueryItem], as name: String?, _ style: Query.Style) throws {
        switch self {
        case .leaf(let text):
            guard let name else { return }
            switch (text, style.nils) {
            case (let text?, _): items.append(URLQueryItem(name: name, value: text))
            case (nil, .empty): items.append(URLQueryItem(name: name, value: ""))
            case (nil, .nameOnly): items.append(URLQueryItem(name: name, value: nil))
            case (nil, .dropped): break
            }
        case .object(let members):
            for (key, value) in members {
                try value.append(to: &items, as: name.map { style.nesting.name(of: key, in: $0) } ?? key, style)
            }
        case .list(let elements):
            guard let name, !elements.isEmpty else { return }
            if case .commaSeparated = style.arrays {
                let texts = try elements.compactMap { try $0.text(in: name, style) }
                items.append(URLQueryItem(name: name, value: texts.joined(separator: ",")))
                return
            }
            for (index, element) in elements.enumerated() {
                try element.append(to: &items, as: style.arrays.name(ofElementAt: index, in: name), style)
            }
        }
    }

    private func text(in name: String, _ style: Query.Style) throws -> String? {
        guard case .leaf(let text) = self else {
            let context = EncodingError.Context(
                codingPath: [],
                debugDescription: "An element of \(name) isn't a single value. Use another style than commaSeparated."
            )
            throw EncodingError.invalidValue(name, context)
        }
        return text ?? (style.nils == .dropped ? nil : "")
    }
}
