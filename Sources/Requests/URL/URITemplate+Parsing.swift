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
