/// A URI template: a text with expressions in braces, which values take the place of.
///
/// ```swift
/// let template = try URITemplate("/users/{id}{?page,tags*}")
/// let path = try template.expanded(with: ["id": 7, "page": nil, "tags": ["a", "b"]])      // /users/7?tags=a&tags=b
/// ```
///
/// All four levels are understood. What is not allowed in a URI is percent-encoded in the text, too.
///
/// Specification: RFC 6570.
public struct URITemplate: Hashable, Sendable {
    enum Part: Hashable {
        case literal(String)
        case expression(Operator, [Variable])
    }

    struct Variable: Hashable {
        var name: String
        /// How many characters of the value count; `nil` for all.
        var prefix: Int?
        var isExploded = false
    }

    /// The template as it was written.
    public let text: String

    let parts: [Part]

    /// Reads a template.
    ///
    /// - Throws: ``URITemplateError`` with what is wrong in which expression.
    public init(_ text: String) throws(URITemplateError) {
        self.text = text
        self.parts = try URITemplate.parse(text)
    }

    /// The values of a template's variables, by name. A name that is missing has no value, like one that is `nil`.
    public struct Variables: ExpressibleByDictionaryLiteral, Hashable, Sendable {
        var values: [String: Value]

        /// Creates variables of a dictionary.
        public init(_ values: [String: Value]) {
            self.values = values
        }

        /// Creates variables of names and values; of a name that stands twice the last counts.
        public init(dictionaryLiteral elements: (String, Value)...) {
            values = Dictionary(elements) { $1 }
        }
    }

    /// A value of a variable: a text, a list, pairs, or nothing.
    public enum Value: Hashable, Sendable {
        /// A text.
        case string(String)
        /// A list of texts. An empty one is no value.
        case list([String])
        /// Names and values, in order. None of them are no value.
        case pairs([Pair])
        /// No value: what belongs to the variable is left out.
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

        /// A number, a Boolean or another value with a description that stands for it.
        public static func value(_ value: some LosslessStringConvertible) -> Value { .string(value.description) }
    }
}

extension URITemplate.Value: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a text.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// Creates a text of a number.
    public init(integerLiteral value: Int) {
        self = .string(String(value))
    }

    /// Creates no value.
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
    /// The template as it was written.
    public var description: String { text }
}
