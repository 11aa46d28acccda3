/// The query of a URL: an ordered list of items.
///
/// ```swift
/// let page: Int? = nil
/// let search = request.with(query: ["q": "alex", "page": page, "tag": ["a", "b"]])     // ?q=alex&tag=a&tag=b
/// ```
///
/// In a dictionary literal, `nil` leaves the item out, and an array repeats the name. See ``Values`` for the types of
/// values. A `URLQueryItem` keeps Foundation's meaning: a value of `nil` gives `name`, an empty value
/// `name=`.
///
/// Names and values are encoded when the URL is built. Everything but RFC 3986's unreserved characters is escaped, so
/// every server reads `+`, `&`, `=`, `;` and `/` as themselves.
public struct Query: Hashable, Sendable {
    /// The items, in order. Names may repeat.
    public var items: [URLQueryItem]

    /// Creates a query from items, keeping their order.
    public init(_ items: [URLQueryItem] = []) {
        self.items = items
    }
}

extension Query: ExpressibleByDictionaryLiteral {
    /// Creates a query from names and values, keeping their order.
    ///
    /// A value of `nil` leaves the item out. An array adds one item for each element.
    public init(dictionaryLiteral elements: (String, (any Values)?)...) {
        self.init()
        items.reserveCapacity(elements.count)
        for (name, value) in elements {
            for text in value?.queryValues ?? [] { items.append(URLQueryItem(name: name, value: text)) }
        }
    }
}

extension Query: ExpressibleByArrayLiteral {
    /// Creates a query from items, keeping their order.
    public init(arrayLiteral elements: URLQueryItem...) {
        self.items = elements
    }
}

extension Query: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The items as `name=value`. The values of credentials are replaced by `<redacted>`.
    public var description: String {
        items.map { item in
            guard let value = item.value else { return item.name }
            return "\(item.name)=\(Redaction.isSensitive(queryName: item.name) ? Redaction.placeholder : value)"
        }
        .joined(separator: "&")
    }

    /// The same as ``description``, so that a debugger shows no credentials either.
    public var debugDescription: String { description }

    /// The items as in ``description``, so that `dump` shows no credentials.
    public var customMirror: Mirror { Mirror(self, children: ["items": description]) }
}
