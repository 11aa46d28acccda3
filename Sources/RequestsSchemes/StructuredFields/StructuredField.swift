import Requests

/// The common syntax of newer header fields: items, lists and dictionaries.
///
/// ```swift
/// let priority = try StructuredField.parseDictionary("u=2, i")
/// let urgency = priority["u"]?.value    // .integer(2)
/// ```
///
/// Specification: RFC 9651.
public enum StructuredField {
    /// A single value without its parameters.
    public indirect enum Value: Hashable, Sendable {
        /// A whole number of at most 15 digits.
        case integer(Int64)
        /// A number with at most 12 digits before the decimal point and 3 after it.
        case decimal(Decimal)
        /// A string of printable ASCII characters.
        case string(String)
        /// An identifier, such as a media type or a scheme.
        case token(String)
        /// Bytes, written in Base64.
        case bytes(Data)
        /// A Boolean value.
        case boolean(Bool)
        /// A date in whole seconds.
        case date(Date)
        /// A Unicode string for users to read.
        case displayString(String)
        /// A list inside a list or dictionary. It can't contain another list.
        case innerList([Item])
    }

    /// A value with parameters.
    public struct Item: Hashable, Sendable {
        /// The value without its parameters.
        public var value: Value

        /// The parameters, whose values have no parameters themselves.
        public var parameters: Members<Value>

        /// Creates an item from a value and, optionally, parameters.
        public init(_ value: Value, parameters: Members<Value> = [:]) {
            self.value = value
            self.parameters = parameters
        }
    }

    /// An ordered collection of values with unique keys.
    public struct Members<Element: Hashable & Sendable>: Hashable, Sendable {
        private var values: [String: Element] = [:]

        /// The keys, in order.
        public private(set) var keys: [String] = []

        /// The value of a key. Setting it keeps the position of an existing key, and setting `nil` removes the key.
        public subscript(key: String) -> Element? {
            get { values[key] }
            set {
                let isKnown = values[key] != nil
                values[key] = newValue
                if newValue == nil {
                    if isKnown { keys.removeAll { $0 == key } }
                } else if !isKnown {
                    keys.append(key)
                }
            }
        }
    }
}

extension StructuredField.Members: ExpressibleByDictionaryLiteral {
    /// Creates members. If a key repeats, the last value is used.
    public init(dictionaryLiteral elements: (String, Element)...) {
        for (key, value) in elements { self[key] = value }
    }
}

extension StructuredField {
    /// Parses a field that contains an item.
    ///
    /// - Parameter text: The value of the field. Join repeated fields with commas first, as `Header` does.
    /// - Throws: `RequestError.Code.invalidStructuredField`.
    public static func parseItem(_ text: String) throws(RequestError) -> Item {
        var parser = StructuredFieldParser(text)
        return try parser.whole { parser throws(RequestError) in try parser.item() }
    }

    /// Parses a field that contains a list. Empty text is an empty list.
    ///
    /// - Parameter text: The value of the field. Join repeated fields with commas first, as `Header` does.
    /// - Throws: `RequestError.Code.invalidStructuredField`.
    public static func parseList(_ text: String) throws(RequestError) -> [Item] {
        var parser = StructuredFieldParser(text)
        return try parser.whole { parser throws(RequestError) in try parser.list() }
    }

    /// Parses a field that contains a dictionary. Empty text is an empty dictionary.
    ///
    /// - Parameter text: The value of the field. Join repeated fields with commas first, as `Header` does.
    /// - Throws: `RequestError.Code.invalidStructuredField`.
    public static func parseDictionary(_ text: String) throws(RequestError) -> Members<Item> {
        var parser = StructuredFieldParser(text)
        return try parser.whole { parser throws(RequestError) in try parser.dictionary() }
    }
}

extension RequestError.Code {
    /// A structured field can't be parsed or serialized (RFC 9651 §4).
    public static let invalidStructuredField = Self(rawValue: "invalidStructuredField")
}

extension RequestError {
    static func invalidStructuredField(_ reason: String) -> RequestError {
        RequestError(
            code: .invalidStructuredField,
            subject: "structured field",
            message: "The field isn't valid: \(reason)."
        )
    }
}
