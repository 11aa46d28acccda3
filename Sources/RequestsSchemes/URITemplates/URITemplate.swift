import Requests

/// A URI template: text with expressions in braces that are replaced by values.
///
/// ```swift
/// let template = try URITemplate("/users/{id}{?page,tags*}")
/// // /users/7?tags=a&tags=b
/// let path = try template.expanded(with: [
///     "id": 7, "page": nil, "tags": ["a", "b"],
/// ])
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
    /// - Throws: `RequestError.Code.invalidTemplate` naming the expression that is wrong.
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

extension URITemplate {
    /// The first character of an expression, which decides how its values are written (RFC 6570, Appendix A).
    enum Operator: Character {
        /// No operator in the template (RFC 6570 §3.2.2).
        case simple = " "
        case reserved = "+"
        case fragment = "#"
        case label = "."
        case path = "/"
        case parameter = ";"
        case query = "?"
        case continuation = "&"
    }

    static func parse(_ text: String) throws(RequestError) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while !rest.isEmpty {
            let literal = rest.prefix { $0 != "{" && $0 != "}" }
            if !literal.isEmpty { parts.append(.literal(encodedWithReserved(literal))) }
            rest = rest[literal.endIndex...]
            guard let brace = rest.first else { break }
            guard brace == "{", let end = rest.firstIndex(of: "}") else {
                throw .unbalancedTemplate(rest)
            }
            parts.append(try parse(expression: rest[rest.index(after: rest.startIndex)..<end]))
            rest = rest[rest.index(after: end)...]
        }
        return parts
    }

    /// Encodes everything but unreserved and reserved characters (RFC 3986 §2.2, §2.3) and valid escapes.
    static func encodedWithReserved(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        PercentEncoding.appendEncoded(text.utf8, keeping: allowedWithReserved, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func parse(expression: Substring) throws(RequestError) -> Part {
        guard let first = expression.first else { throw .invalidTemplate(expression, "is empty") }
        guard !"=,!@|".contains(first) else {
            throw .invalidTemplate(expression, "starts with \(first), which is reserved")
        }
        let kind = first == " " ? nil : Operator(rawValue: first)
        let list = kind == nil ? expression : expression.dropFirst()
        var variables: [Variable] = []
        for item in list.split(separator: ",", omittingEmptySubsequences: false) {
            variables.append(try variable(item, in: expression))
        }
        return .expression(kind ?? .simple, variables)
    }

    private static func variable(_ text: Substring, in expression: Substring) throws(RequestError) -> Variable {
        var variable = Variable(name: String(text))
        if text.hasSuffix("*") {
            variable = Variable(name: String(text.dropLast()), isExploded: true)
        } else if let colon = text.firstIndex(of: ":") {
            let digits = text[text.index(after: colon)...]
            guard digits.utf8.count <= 4, digits.utf8.first != UInt8(ascii: "0"),
                digits.utf8.allSatisfy(\.isDigit), let prefix = Int(digits)
            else {
                throw .invalidTemplate(expression, "has a prefix that isn't a number from 1 to 9999")
            }
            variable = Variable(name: String(text[..<colon]), prefix: prefix)
        }
        guard isName(variable.name) else {
            throw .invalidTemplate(
                expression,
                "contains an invalid variable name. Use letters, digits and _, with dots only between them"
            )
        }
        return variable
    }

    /// RFC 6570 §2.3.
    private static func isName(_ name: String) -> Bool {
        guard !name.isEmpty, !name.hasPrefix("."), !name.hasSuffix("."), !name.contains("..") else { return false }
        var rest = name.utf8[...]
        while let byte = rest.first {
            if byte == PercentEncoding.percent {
                guard PercentEncoding.startsEscape(rest) else { return false }
                rest = rest.dropFirst(3)
            } else {
                guard nameBytes.contains(byte) else { return false }
                rest = rest.dropFirst()
            }
        }
        return true
    }

    private static let nameBytes = ByteSet(alphanumericsAnd: "_.")
    private static let allowedWithReserved = ByteSet(alphanumericsAnd: "-._~:/?#[]@!$&'()*+,;=")
}

extension URITemplate {
    /// Returns the template with its expressions replaced by the values of their variables.
    ///
    /// - Parameter variables: The values by name. A missing name is the same as `nil`.
    /// - Throws: `RequestError.Code.invalidTemplate` if a prefix is applied to a list or to pairs (RFC 6570 §2.4.1).
    public func expanded(with variables: [String: Value]) throws(RequestError) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .expression(let kind, let list): text += try expansion(kind, list, variables)
            }
        }
        return text
    }

    /// Returns the first characters of a value. An escaped character counts as one (RFC 6570 §2.4.1).
    private static func prefix(of text: String, _ count: Int, keepsEscapes: Bool) -> Substring {
        var rest = text.utf8[...]
        /// Returns the escaped byte at the start. `nil` if there is none.
        func escaped() -> UInt8? {
            guard keepsEscapes, PercentEncoding.startsEscape(rest) else { return nil }
            return UInt8(Substring(rest.dropFirst().prefix(2)), radix: 16)
        }
        for _ in 0..<count {
            guard let first = escaped() else {
                rest = Substring(Substring(rest).unicodeScalars.dropFirst()).utf8
                continue
            }
            rest = rest.dropFirst(3)
            let following = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0
            for _ in 0..<following {
                guard let next = escaped(), next & 0xC0 == 0x80 else { break }
                rest = rest.dropFirst(3)
            }
        }
        return text[..<rest.startIndex]
    }

    private func expansion(
        _ kind: Operator,
        _ list: [Variable],
        _ variables: [String: Value]
    ) throws(RequestError) -> String {
        var pieces: [String] = []
        for variable in list {
            let value = variables[variable.name] ?? .undefined
            if let piece = try expansion(of: variable, value, kind) { pieces.append(piece) }
        }
        return pieces.isEmpty ? "" : kind.first + pieces.joined(separator: kind.separator)
    }

    /// Returns `nil` if the variable has no value.
    private func expansion(
        of variable: Variable,
        _ value: Value,
        _ kind: Operator
    ) throws(RequestError) -> String? {
        switch value {
        case .undefined: return nil
        case .list(let items) where items.isEmpty: return nil
        case .pairs(let pairs) where pairs.isEmpty: return nil
        case .string(let text):
            let counted = variable.prefix.map { URITemplate.prefix(of: text, $0, keepsEscapes: kind.keepsEscapes) }
            return kind.named(variable.name, kind.encoded(counted ?? text[...]))
        case .list, .pairs:
            guard variable.prefix == nil else {
                throw .invalidTemplate("\(variable.name):\(variable.prefix ?? 0)", "has a prefix, but isn't a string")
            }
        }
        if case .list(let items) = value {
            let encoded = items.map(kind.encoded)
            guard variable.isExploded else { return kind.named(variable.name, encoded.joined(separator: ",")) }
            return encoded.map { kind.named(variable.name, $0) }.joined(separator: kind.separator)
        }
        guard case .pairs(let pairs) = value else { return nil }
        let encoded = pairs.map { (name: kind.encoded($0.name), value: kind.encoded($0.value)) }
        guard variable.isExploded else {
            return kind.named(variable.name, encoded.map { "\($0.name),\($0.value)" }.joined(separator: ","))
        }
        return encoded.map { kind.isNamed ? kind.named($0.name, $0.value) : "\($0.name)=\($0.value)" }
            .joined(separator: kind.separator)
    }
}

/// The table of RFC 6570, Appendix A.
extension URITemplate.Operator {
    fileprivate var first: String {
        switch self {
        case .simple, .reserved: ""
        default: String(rawValue)
        }
    }

    fileprivate var separator: String {
        switch self {
        case .simple, .reserved, .fragment: ","
        case .query: "&"
        default: String(rawValue)
        }
    }

    fileprivate var isNamed: Bool { [.parameter, .query, .continuation].contains(self) }

    /// Returns a value, with its name if the operator writes names.
    fileprivate func named(_ name: String, _ value: String) -> String {
        guard isNamed else { return value }
        if value.isEmpty { return self == .parameter ? name : "\(name)=" }
        return "\(name)=\(value)"
    }

    /// Whether a value may contain reserved characters and escapes.
    fileprivate var keepsEscapes: Bool { self == .reserved || self == .fragment }

    fileprivate func encoded(_ text: some StringProtocol) -> String {
        keepsEscapes
            ? URITemplate.encodedWithReserved(text)
            : PercentEncoding.encoded(String(text), keeping: PercentEncoding.unreserved)
    }
}
