import Foundation

extension Query {
    /// A type whose values can be written in a ``Query`` literal: a ``Query/SingleValue``, or an array of them.
    ///
    /// Conform to ``Query/SingleValue`` instead of this protocol.
    public protocol Values: Sendable {
        /// Appends one item for each string to a query.
        func appendQueryItems(to query: inout Query, named name: String)
    }

    /// A type whose values are one string in a query, such as `String`, `Int`, `Bool` and `UUID`.
    ///
    /// An enum with raw values needs no code to conform:
    ///
    /// ```swift
    /// enum Sorting: String, Query.SingleValue { case newest, oldest }
    /// let sorted = request.with(query: ["sort": Sorting.newest])      // ?sort=newest
    /// ```
    ///
    /// `Date` and `Data` don't conform because there is more than one way to write them. Pass a string, or encode a
    /// value with ``Query/encoding(_:style:)``.
    public protocol SingleValue: Values {
        /// The value as a string, before it is percent-encoded.
        var queryValue: String { get }
    }
}

extension Query.SingleValue {
    /// Appends one item.
    public func appendQueryItems(to query: inout Query, named name: String) {
        query.items.append(URLQueryItem(name: name, value: queryValue))
    }
}

extension Query.SingleValue where Self: LosslessStringConvertible {
    /// The value's description.
    public var queryValue: String { description }
}

extension Query.SingleValue where Self: RawRepresentable, RawValue: Query.SingleValue {
    /// The raw value as a string.
    public var queryValue: String { rawValue.queryValue }
}

extension Array: Query.Values where Element: Query.SingleValue {
    /// Appends one item for each element.
    public func appendQueryItems(to query: inout Query, named name: String) {
        for element in self { element.appendQueryItems(to: &query, named: name) }
    }
}

extension String: Query.SingleValue {}
extension Substring: Query.SingleValue {}
extension Character: Query.SingleValue {}
extension Bool: Query.SingleValue {}
extension Int: Query.SingleValue {}
extension Int8: Query.SingleValue {}
extension Int16: Query.SingleValue {}
extension Int32: Query.SingleValue {}
extension Int64: Query.SingleValue {}
extension UInt: Query.SingleValue {}
extension UInt8: Query.SingleValue {}
extension UInt16: Query.SingleValue {}
extension UInt32: Query.SingleValue {}
extension UInt64: Query.SingleValue {}
extension Float: Query.SingleValue {}
extension Double: Query.SingleValue {}

extension Decimal: Query.SingleValue {
    /// The number in decimal notation.
    public var queryValue: String { description }
}

extension UUID: Query.SingleValue {
    /// The UUID in uppercase hexadecimal notation.
    public var queryValue: String { uuidString }
}

extension URL: Query.SingleValue {
    /// The absolute URL.
    public var queryValue: String { absoluteString }
}
