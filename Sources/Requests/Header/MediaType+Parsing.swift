extension MediaType {
    /// Parses a media type, such as the value of `Content-Type`.
    ///
    /// Returns `nil` if the text isn't a media type. White space around `;` and empty parameters are allowed.
    ///
    /// With a literal, Swift calls ``init(stringLiteral:)``, which doesn't return `nil`.
    ///
    /// Specification: RFC 9110 §8.3.1, §5.6.6.
    public init?(_ text: String) {
        var rest = text.utf8[...]
        guard let type = MediaType.takeToken(&rest), rest.popFirst() == UInt8(ascii: "/"),
            let subtype = MediaType.takeToken(&rest)
        else { return nil }
        var parameters: [(name: String, value: String)] = []
        rest.skipBlanks()
        while !rest.isEmpty {
            guard rest.popFirst() == UInt8(ascii: ";") else { return nil }
            rest.skipBlanks()
            guard let name = MediaType.takeToken(&rest) else { continue }
            guard rest.popFirst() == UInt8(ascii: "="), let value = MediaType.takeValue(&rest) else { return nil }
            parameters.append((name, value))
            rest.skipBlanks()
        }
        self.init(type: type, subtype: subtype, parameters: parameters)
    }

    private static func takeToken(_ rest: inout Substring.UTF8View) -> String? {
        let token = rest.takeToken()
        return token.isEmpty ? nil : token
    }

    /// Reads a token, or a quoted string without its quotes (RFC 9110 §5.6.4).
    private static func takeValue(_ rest: inout Substring.UTF8View) -> String? {
        guard rest.first == UInt8(ascii: "\"") else { return takeToken(&rest) }
        let (text, isClosed) = rest.takeQuotedString()
        return isClosed ? text : nil
    }
}
