extension AuthenticationProvider {
    /// A challenge: one way to authenticate that a server offers.
    ///
    /// Specification: RFC 9110 §11.3, §11.6.1.
    public struct Challenge: Hashable, Sendable {
        /// The scheme as written, such as `Digest`. Schemes are compared case-insensitively.
        public let scheme: String

        /// The single value after the scheme (`token68`). `nil` if there are parameters or nothing.
        public let token: String?

        /// The parameters without quotes, by their lowercase names. The first of repeated ones counts.
        public let parameters: [String: String]

        /// Reads the challenges of all fields with a name, in order. Skips malformed ones.
        ///
        /// - Parameters:
        ///   - header: The header of a response.
        ///   - name: The fields' name. Default: `WWW-Authenticate`.
        public static func challenges(in header: Header, name: Field.Name = .wwwAuthenticate) -> [Challenge] {
            header[values: name].flatMap { value in
                var parser = ChallengeParser(value)
                return parser.challenges()
            }
        }

        /// Reads the parameters of a field that has no scheme, such as `Authentication-Info` (RFC 7615).
        static func parameters(of value: String) -> [String: String] {
            var parser = ChallengeParser(value)
            return parser.parameters()
        }

        fileprivate init(scheme: String, token: String?, parameters: [String: String]) {
            self.scheme = scheme
            self.token = token
            self.parameters = parameters
        }

        package func matches(scheme: String) -> Bool { ASCII.equalsIgnoringCase(self.scheme, scheme) }
    }
}

private struct ChallengeParser {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    mutating func challenges() -> [AuthenticationProvider.Challenge] {
        var found: [AuthenticationProvider.Challenge] = []
        while true {
            rest.skip { $0.isListSeparator }
            guard !rest.isEmpty else { return found }
            let scheme = rest.takeToken()
            guard !scheme.isEmpty else {
                rest.skip { $0 != UInt8(ascii: ",") }
                continue
            }
            rest.skip { $0 == UInt8(ascii: " ") }
            let token = takeToken68()
            found.append(
                AuthenticationProvider.Challenge(
                    scheme: scheme,
                    token: token,
                    parameters: token == nil ? parameters() : [:]
                )
            )
        }
    }

    /// Reads parameters up to the end or to the scheme of the next challenge.
    mutating func parameters() -> [String: String] {
        var parameters: [String: String] = [:]
        while true {
            let start = rest
            rest.skip { $0.isListSeparator }
            let name = ASCII.lowercased(rest.takeToken())
            rest.skipBlanks()
            guard !name.isEmpty, rest.first == UInt8(ascii: "=") else {
                rest = start
                return parameters
            }
            rest.removeFirst()
            rest.skipBlanks()
            let value =
                rest.first == UInt8(ascii: "\"") ? rest.takeQuotedString().text : rest.takeToken()
            if parameters[name] == nil { parameters[name] = value }
        }
    }

    /// Reads a `token68`, which must be followed by a comma or the end (RFC 9110 §11.2).
    private mutating func takeToken68() -> String? {
        let start = rest
        let token = rest.take { ChallengeParser.token68.contains($0) } + rest.take { $0 == UInt8(ascii: "=") }
        rest.skipBlanks()
        guard !token.isEmpty, rest.isEmpty || rest.first == UInt8(ascii: ",") else {
            rest = start
            return nil
        }
        return token
    }

    private static let token68 = ByteSet(alphanumericsAnd: "-._~+/")
}

extension UInt8 {
    fileprivate var isListSeparator: Bool { self == UInt8(ascii: ",") || isFieldWhitespace }
}
