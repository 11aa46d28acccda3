import Foundation

/// The query of a URL: items in order, repeats kept.
///
/// ```swift
/// let search = request.with(query: ["query": "alex", "limit": 30, "verbose": nil])     // ?query=alex&limit=30&verbose
/// ```
///
/// Names and values are data: all but RFC 3986's unreserved characters is encoded when the URL is built, so that
/// `+`, `&`, `=`, `;` and `/` mean themselves to every server. A value of `nil` gives `name`, an empty one `name=`.
public struct Query: Hashable, Sendable {
    /// The items, in order.
    public var items: [URLQueryItem]

    /// Creates a query of items, in their order.
    public init(_ items: [URLQueryItem] = []) {
        self.items = items
    }
}

extension Query: ExpressibleByDictionaryLiteral {
    /// Creates a query of names and values, in their order.
    public init(dictionaryLiteral elements: (String, (any LosslessStringConvertible & Sendable)?)...) {
        self.items = elements.map { name, value in
            URLQueryItem(name: name, value: value?.description)
        }
    }
}

extension Query: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The items as `name=value`, with the values of names that carry credentials replaced by `<redacted>`.
    public var description: String {
        items.map { item in
            guard let value = item.value else { return item.name }
            return "\(item.name)=\(Redaction.isSensitive(queryName: item.name) ? Redaction.placeholder : value)"
        }
        .joined(separator: "&")
    }

    /// The same as ``description``: a debugger's output ends up in logs too.
    public var debugDescription: String { description }

    /// The items as ``description`` shows them, so that what is dumped shows no credentials.
    public var customMirror: Mirror { Mirror(self, children: ["items": description]) }
}

extension Query: ExpressibleByArrayLiteral {
    /// Creates a query of items, in their order.
    public init(arrayLiteral elements: URLQueryItem...) {
        self.items = elements
    }
}
