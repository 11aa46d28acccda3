extension AuthenticationProvider {
    /// A challenge: one way to authenticate that a server offers.
    ///
    /// Specification: RFC 9110 §11.3, §11.6.1.
    public struct Challenge: Hashable, Sendable {
        /// The scheme as written, such as `Digest`. Schemes are compared case-insensitively.
        public let scheme: String

        /// The single value after the scheme (`token68`). `nil` if there are parameters or nothing.
        public let token: String?

        /// The parameters without quotes, by their lowercase names. The first value of repeated ones counts.
        public let parameters: [String: String]

        /// Reads the challenges of all fields with a name, in order. Skips malformed challenges and parameters.
        ///
        /// - Parameters:
        ///   - header: The header of a response.
        ///   - name: The fields' name. Default: `WWW-Authenticate`.
        public static func challenges(in header: Header, name: Field.Name = .wwwAuthenticate) -> [Challenge] {
            header[values: name].flatMap { challenges(in: $0) }
        }

        package func matches(scheme: String) -> Bool { ASCII.equalsIgnoringCase(self.scheme, scheme) }
    }
}

extension AuthenticationProvider.Challenge {
    /// Commas separate both challenges and parameters, and servers forget commas and quotes. So a scheme is a word that
    /// no `=` follows, and that comes after a comma or before a parameter.
    private static func challenges(in text: String) -> [Self] {
        var rest = text.utf8[...]
        var found: [(scheme: String, token: String?, parameters: [String: String])] = []
        // The last parameter, if its value has no quotes and may go on after a space.
        var openName: String?
        while true {
            let isAfterComma = rest.skipSeparators() || found.isEmpty
            guard !rest.isEmpty else {
                return found.map { Self(scheme: $0.scheme, token: $0.token, parameters: $0.parameters) }
            }
            let (start, last) = (rest, found.indices.last)
            let parameter = rest.takeParameter(before: \.isListSeparator)
            if let value = parameter.usableValue, let last {
                let name = ASCII.lowercased(parameter.name)
                let isFirst = (found[last].parameters[name] ?? "").isEmpty
                if isFirst { found[last].parameters[name] = value }
                openName = isFirst && start[..<rest.startIndex].last != UInt8(ascii: "\"") ? name : nil
                // What looked like a token before was a malformed parameter.
                found[last].token = nil
                continue
            }
            if isAfterComma { openName = nil }
            guard parameter.value == nil, ASCII.isToken(parameter.name) else { continue }
            var next = rest
            let isBeforeComma = next.skipSeparators() || next.isEmpty
            let isBeforeParameter = next.takeParameter(before: \.isListSeparator).value != nil
            let isFirst = last.map { found[$0].parameters.isEmpty } ?? true
            if isAfterComma ? isBeforeComma && isBeforeParameter && !isFirst : isBeforeComma || !isBeforeParameter {
                if let openName, let last { found[last].parameters[openName]? += " \(parameter.name)" }
            } else {
                found.append((parameter.name, rest.takeToken68(), [:]))
            }
        }
    }
}

extension Substring.UTF8View {
    private static let token68 = ByteSet(alphanumericsAnd: "-._~+/")

    /// Skips commas and blanks. Returns whether there was a comma.
    fileprivate mutating func skipSeparators() -> Bool {
        let start = self
        skip(while: \.isListSeparator)
        return start[..<startIndex].contains(UInt8(ascii: ","))
    }

    /// Takes a `token68`, which must be followed by a comma or the end (RFC 9110 §11.2).
    fileprivate mutating func takeToken68() -> String? {
        let start = self
        skipBlanks()
        let token = take { Self.token68.contains($0) } + take { $0 == UInt8(ascii: "=") }
        skipBlanks()
        if !token.isEmpty, isEmpty || first == UInt8(ascii: ",") { return token }
        self = start
        return nil
    }
}

extension UInt8 {
    fileprivate var isListSeparator: Bool { self == UInt8(ascii: ",") || isFieldWhitespace }
}
