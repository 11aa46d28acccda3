import Foundation

extension Query {
    /// Creates a query of what an `Encodable` value holds.
    ///
    /// ```swift
    /// struct Search: Encodable { var text: String; var tags: [String]; var perPage: Int? }
    /// let search = try request.with(query: .encoding(Search(text: "a b", tags: ["x", "y"])))      // ?text=a%20b&tags=x&tags=y
    /// ```
    ///
    /// Numbers are written as Swift does, `Data` in Base64, `URL` as its text. A dictionary's items come in the order
    /// of their names: it has none of its own.
    ///
    /// - Parameters:
    ///   - value: A value with keys: a type with properties, or a dictionary of texts to something.
    ///   - style: How it is done; see ``Style`` for the defaults.
    /// - Throws: `EncodingError` for a value without keys, a number that is none, and what the style cannot write.
    public static func encoding(_ value: some Encodable, style: Style = Style()) throws -> Query {
        let root = try QueryEncoder.tree(of: value, style)
        guard case .object = root else {
            let context = EncodingError.Context(codingPath: [], debugDescription: "a query needs names for its values")
            // The type in place of the value, which may be a secret.
            throw EncodingError.invalidValue(type(of: value), context)
        }
        var items: [URLQueryItem] = []
        try root.append(to: &items, as: nil, style)
        guard style.order == .sorted else { return Query(items) }
        return Query(
            items.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
        )
    }
}

/// What an encoded value is made of.
enum QueryTree {
    /// A plain value; `nil` for `nil`.
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
                try value.append(to: &items, as: name.map { style.nesting.name($0, key) } ?? key, style)
            }
        case .list(let elements):
            guard let name else { return }
            if let elementName = style.arrays.name {
                for (index, element) in elements.enumerated() {
                    try element.append(to: &items, as: elementName(name, index), style)
                }
            } else if !elements.isEmpty {
                let texts = try elements.compactMap { try $0.text(in: name, style) }
                items.append(URLQueryItem(name: name, value: texts.joined(separator: ",")))
            }
        }
    }

    private func text(in name: String, _ style: Query.Style) throws -> String? {
        guard case .leaf(let text) = self else {
            let context = EncodingError.Context(
                codingPath: [],
                debugDescription: "\(name) holds more than plain values, which cannot be separated by commas"
            )
            throw EncodingError.invalidValue(name, context)
        }
        return text ?? (style.nils == .dropped ? nil : "")
    }
}
