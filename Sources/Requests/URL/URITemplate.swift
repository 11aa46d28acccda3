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

    /// The value of a variable.
    public enum Value: Sendable {
        /// A string.
        case string(String)
        /// A list of strings. An empty list is the same as ``undefined``.
        case list([String])
        /// Names and values, in order. An empty array is the same as ``undefined``.
        case pairs([(name: String, value: String)])
        /// No value. The variable is left out.
        case undefined

        /// The description of a value, such as a number or a Boolean.
        public static func value(_ value: some LosslessStringConvertible) -> URITemplate.Value {
            .string(value.description)
        }
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
        self = .pairs(elements.map { (name: $0, value: $1) })
    }
}

extension URITemplate: CustomStringConvertible {
    /// The template as written.
    public var description: String { text }
}
