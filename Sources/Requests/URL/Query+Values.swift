extension Query {
    /// A type whose values can be written in a ``Query`` literal, such as `String`, `Int`, `Bool` and `UUID`, and
    /// arrays of them.
    ///
    /// An enum with raw values needs no code to conform:
    ///
    /// ```swift
    /// enum Sorting: String, Query.Values { case newest, oldest }
    /// let sorted = request.with(query: ["sort": Sorting.newest])      // ?sort=newest
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
