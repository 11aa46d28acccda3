/// The query of a URL: an ordered list of items.
///
/// ```swift
/// let page: Int? = nil
/// // ?q=alex&tag=a&tag=b
/// let search = request.with(query: [
///     "q": "alex", "page": page, "tag": ["a", "b"],
/// ])
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
    public init(_ items: [URLQueryItem] = []) { self.items = items }

    /// The value of the first item with a name. Empty if the item has no `=`, and `nil` if there is no such item.
    public subscript(name: String) -> String? { items.first { $0.name == name }.map { $0.value ?? "" } }

    /// The values of all items with a name, in order.
    public subscript(values name: String) -> [String] { items.filter { $0.name == name }.map { $0.value ?? "" } }
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
    public init(arrayLiteral elements: URLQueryItem...) { self.items = elements }
}

extension Query: Redacted {
    /// The items as `name=value`. The values of credentials are replaced by `REDACTED`.
    public var description: String {
        items.map { item in
            guard let value = item.value else { return item.name }
            let isSecret = Redaction.isSecret(queryName: item.name, value: Array(value.utf8)[...])
            return "\(item.name)=\(isSecret ? Redaction.placeholder : value)"
        }
        .joined(separator: "&")
    }
}

/// A decoded query item.
package struct QueryItem: Hashable, Sendable {
    package let name: String
    /// The value. `nil` if the item has no `=`.
    package let value: String?

    package static func items(of query: Substring) -> [QueryItem] {
        query.split(separator: "&").map { item in
            let (name, value) = String(item).split(at: "=")
            return QueryItem(
                name: PathSegment.decoded(String(name)),
                value: value.map { PathSegment.decoded(String($0)) }
            )
        }
    }
}

/// The segments of a path.
package enum PathSegment {
    /// Returns the segments, still percent-encoded. The root has one empty segment.
    package static func all(of path: Substring) -> [String] {
        let path = path.hasPrefix("/") ? path.dropFirst() : path
        let bytes = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return bytes.map { String(Substring($0)) }
    }

    /// Returns the percent-decoded segment, or the segment itself if it doesn't decode to UTF-8.
    package static func decoded(_ segment: String) -> String {
        guard segment.utf8.contains(UInt8(ascii: "%")) else { return segment }
        return String(validating: PercentEncoding.decodedBytes(segment), as: UTF8.self) ?? segment
    }
}

extension String {
    /// Returns the parts before and after the first separator. The second is `nil` if there is none.
    package func split(at separator: Character) -> (Substring, Substring?) {
        guard let index = firstIndex(of: separator) else { return (self[...], nil) }
        return (self[..<index], self[self.index(after: index)...])
    }
}

extension Query {
    /// A type whose values can be written in a ``Query`` literal, such as `String`, `Int`, `Bool` and `UUID`, and
    /// arrays of them.
    ///
    /// An enum with raw values needs no code to conform:
    ///
    /// ```swift
    /// enum Sorting: String, Query.Values { case newest, oldest }
    /// // ?sort=newest
    /// let sorted = request.with(query: ["sort": Sorting.newest])
    /// ```
    ///
    /// `Date` and `Data` don't conform because there is more than one way to write them. Pass a string, or encode a
    /// value with ``Query/encoding(_:style:)``.
    public protocol Values: Sendable {
        /// The strings of the value, one for each item of the query, before they are percent-encoded.
        var queryValues: [String] { get }
    }
}

extension Query.Values where Self: LosslessStringConvertible {
    /// The value's description.
    public var queryValues: [String] { [description] }
}

extension Query.Values where Self: LosslessStringConvertible & BinaryFloatingPoint {
    /// The number as `JSONEncoder` writes it, such as `1`, `0.5` and `1e-05`.
    public var queryValues: [String] { [jsonText] }
}

extension BinaryFloatingPoint {
    /// The shortest decimal number that is read as this one, without `.0`.
    var jsonText: String {
        let text = "\(self)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension Query.Values where Self: RawRepresentable, RawValue: Query.Values {
    /// The raw value's strings.
    public var queryValues: [String] { rawValue.queryValues }
}

extension Array: Query.Values where Element: Query.Values {
    /// The strings of the elements.
    public var queryValues: [String] { flatMap(\.queryValues) }
}

extension String: Query.Values {}
extension Substring: Query.Values {}
extension Character: Query.Values {}
extension Bool: Query.Values {}
extension Int: Query.Values {}
extension Int8: Query.Values {}
extension Int16: Query.Values {}
extension Int32: Query.Values {}
extension Int64: Query.Values {}
extension UInt: Query.Values {}
extension UInt8: Query.Values {}
extension UInt16: Query.Values {}
extension UInt32: Query.Values {}
extension UInt64: Query.Values {}
extension Float: Query.Values {}
extension Double: Query.Values {}

extension Decimal: Query.Values {
    /// The number in decimal notation.
    public var queryValues: [String] { [description] }
}

extension UUID: Query.Values {
    /// The UUID in uppercase hexadecimal notation.
    public var queryValues: [String] { [uuidString] }
}

extension URL: Query.Values {
    /// The absolute URL.
    public var queryValues: [String] { [absoluteString] }
}
