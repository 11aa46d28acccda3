extension Query {
    /// Creates a query from the keys of an `Encodable` value.
    ///
    /// ```swift
    /// struct Search: Encodable {
    ///     var text: String
    ///     var tags: [String]
    ///     var perPage: Int?
    /// }
    /// let search = Search(text: "a b", tags: ["x", "y"])
    /// // ?text=a%20b&tags=x&tags=y
    /// let found = try request.with(query: .encoding(search))
    /// ```
    ///
    /// Numbers are written as in JSON and in ``Values``, `Data` in Base64, `URL` as an absolute string. The items of a
    /// dictionary are sorted by name, because a dictionary has no order.
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
        var items = QueryItems(style: style)
        try root.append(to: &items, as: nil, at: [])
        return Query(items.items)
    }
}

/// The items of a query so far.
private struct QueryItems {
    let style: Query.Style
    var items: [URLQueryItem] = []

    mutating func append(_ name: String, _ value: String?, at path: [String]) {
        let item = URLQueryItem(name: name, value: value)
        guard let transform = style.transform else { return items.append(item) }
        if let item = transform(item, path) { items.append(item) }
    }
}

/// The structure of an encoded value.
enum QueryTree {
    /// A single value, or `nil`.
    case leaf(String?)
    case list([QueryTree])
    case object([(key: String, value: QueryTree)])

    /// - Parameters:
    ///   - name: The name of the value. `nil` for the root.
    ///   - path: The keys and indexes that lead to the value.
    fileprivate func append(to items: inout QueryItems, as name: String?, at path: [String]) throws {
        switch self {
        case .leaf(let text):
            guard let name else { return }
            switch (text, items.style.nils) {
            case (let text?, _): items.append(name, text, at: path)
            case (nil, .empty): items.append(name, "", at: path)
            case (nil, .nameOnly): items.append(name, nil, at: path)
            case (nil, .dropped): break
            }
        case .object(let members):
            for (key, value) in members {
                try value.append(to: &items, as: name.map { "\($0)[\(key)]" } ?? key, at: path + [key])
            }
        case .list(let elements):
            guard let name, !elements.isEmpty else { return }
            if case .commaSeparated = items.style.arrays {
                let texts = try elements.compactMap { try $0.text(in: name, items.style) }
                return items.append(name, texts.joined(separator: ","), at: path)
            }
            for (index, element) in elements.enumerated() {
                let elementName = items.style.arrays.name(ofElementAt: index, in: name)
                try element.append(to: &items, as: elementName, at: path + ["\(index)"])
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
