/// A URI template: text with expressions in braces that are replaced by values.
///
/// ```swift
/// let template = try URITemplate("/users/{id}{?page,tags*}")
/// let path = try template.expanded(with: ["id": 7, "page": nil, "tags": ["a", "b"]])      // /users/7?tags=a&tags=b
/// ```
///
/// All four levels are supported. Characters of the text that aren't allowed in a URI are percent-encoded.
///
/// Specification: RFC 6570.
public struct URITemplate: Hashable, Sendable {
    enum Part: Hashable {
        case literal(String)
        case expression(Operator, [Variable])
    }

    struct Variable: Hashable {
        var name: String
        /// The number of characters of the value to use. `nil` for all of them.
        var prefix: Int?
        var isExploded = false
    }

    /// The template as written.
    public let text: String

    let parts: [Part]

    /// Parses a template.
    ///
    /// - Throws: ``RequestError/Code/invalidTemplate`` naming the expression that is wrong.
    public init(_ text: String) throws(RequestError) {
        self.text = text
        self.parts = try URITemplate.parse(text)
    }

    /// The values of a template's variables, by name. A missing name is the same as `nil`.
    public struct Variables: ExpressibleByDictionaryLiteral, Hashable, Sendable {
        var values: [String: Value]

        /// Creates variables from a dictionary.
        public init(_ values: [String: Value]) {
            self.values = values
        }

        /// Creates variables from names and values. If a name repeats, the last value is used.
        public init(dictionaryLiteral elements: (String, Value)...) {
            values = Dictionary(elements) { $1 }
        }
    }

    /// The value of a variable.
    public enum Value: Hashable, Sendable {
        /// A string.
        case string(String)
        /// A list of strings. An empty list is the same as ``undefined``.
        case list([String])
        /// Names and values, in order. An empty array is the same as ``undefined``.
        case pairs([Pair])
        /// No value. The variable is left out.
        case undefined

        /// A name and a value.
        public struct Pair: Hashable, Sendable {
            let name: String
            let value: String

            /// Creates a pair.
            public init(_ name: String, _ value: String) {
                self.name = name
                self.value = value
            }
        }

        /// The description of a value, such as a number or a Boolean.
        public static func value(_ value: some LosslessStringConvertible) -> Value { .string(value.description) }
    }
}

extension URITemplate.Value: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// Creates a string from a number.
    public init(integerLiteral value: Int) {
        self = .string(String(value))
    }

    /// Creates ``undefined``.
    public init(nilLiteral: ()) {
        self = .undefined
    }

    /// Creates a list.
    public init(arrayLiteral elements: String...) {
        self = .list(elements)
    }

    /// Creates pairs.
    public init(dictionaryLiteral elements: (String, String)...) {
        self = .pairs(elements.map { Pair($0, $1) })
    }
}

extension URITemplate: CustomStringConvertible {
    /// The template as written.
    public var description: String { text }
}
