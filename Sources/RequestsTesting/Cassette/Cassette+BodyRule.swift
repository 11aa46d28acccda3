import Requests

extension Cassette {
    /// A rule that removes secrets from request and response bodies.
    ///
    /// Requests are redacted before they are compared with the recorded ones, so the result must not depend on the
    /// secret's value.
    public struct BodyRule: Sendable {
        let redact: @Sendable (Data, MediaType?) -> Data

        /// Creates a rule.
        ///
        /// - Parameter redact: Returns the body without its secrets. Receives the body and its media type, which is
        ///   `nil` if unknown. UTF-16 and UTF-32 text is passed and must be returned as UTF-8.
        public init(_ redact: @escaping @Sendable (Data, MediaType?) -> Data) {
            self.redact = redact
        }
    }
}

extension Cassette.BodyRule {
    /// Redacts the values of keys in JSON, at any depth.
    ///
    /// Strings become `REDACTED` and numbers become 0, also inside arrays and objects, so that the replayed body
    /// still decodes. Text around JSON (as in server-sent events), JSON inside a string, and binary bodies stay
    /// unchanged.
    ///
    /// - Parameter keys: The keys to redact. Case, `-` and `_` are ignored.
    public static func json(keys: Set<String>) -> Self {
        let isNamed = isOne(of: keys)
        return json { name, _ in isNamed(name) }
    }

    /// Redacts the values of form fields in `application/x-www-form-urlencoded` and `multipart/form-data` bodies.
    ///
    /// - Parameter names: The names of the fields to redact. Case, `-` and `_` are ignored.
    public static func form(names: Set<String>) -> Self {
        let isNamed = isOne(of: names)
        return form { name, _ in isNamed(name) }
    }

    /// Redacts query items and user information of URLs in text bodies, such as JSON, HTML, XML or plain text.
    ///
    /// - Parameter names: Query items to redact in addition to the usual names of credentials, such as `access_token`
    ///   and `signature`. Case, `-` and `_` are ignored. Default: none.
    public static func urls(names: Set<String> = []) -> Self {
        let isNamed = isOne(of: names)
        let scrubber = URLScrubber.inText { isNamed($0) || Redaction.isSecret(queryName: $0, value: $1) }
        return Self { data, type in
            guard type?.isText ?? true else { return data }
            return Data(scrubber.scrubbed(Array(data)))
        }
    }

    /// Redacts tokens, passwords and other credentials in JSON, forms and URLs, recognized by their names.
    ///
    /// Ambiguous names, such as `code` and `key`, are redacted in forms and URLs but not in JSON.
    public static let credentials: Self = {
        let rules = [
            json(where: Redaction.isSecret), form(where: Redaction.isSecret), urls(),
        ]
        return Self { data, type in rules.reduce(data) { $1.redact($0, type) } }
    }()

    private static func isOne(of names: Set<String>) -> @Sendable (String) -> Bool {
        let names = Set(names.map { Redaction.letters(of: $0.utf8) })
        return { names.contains(Redaction.letters(of: $0.utf8)) }
    }

    private static func json(where isSecret: @escaping @Sendable (String, UInt8?) -> Bool) -> Self {
        Self { data, type in
            // A body's type can be missing or wrong, so valid UTF-8 counts as text, too.
            let isText =
                type.map { $0.isText || $0.boundary != nil } == true || String(validating: data, as: UTF8.self) != nil
            guard isText else { return data }
            return Data(
                Redaction.replacingMembers(inJSON: Array(data), isWhole: false, where: isSecret, with: replacement)
            )
        }
    }

    /// Returns a JSON value of the same type and structure without its strings and numbers.
    private static func replacement(for value: ArraySlice<UInt8>) -> [UInt8] {
        var (result, rest) = ([UInt8](), value)
        while let byte = rest.first {
            var (token, replacement) = (rest.prefix(1), [UInt8]?.none)
            if byte == UInt8(ascii: "\"") {
                token = rest[..<JSONText.endOfString(at: rest.startIndex, in: rest)]
                let isName = rest[token.endIndex...].first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: ":")
                if !isName { replacement = placeholder }
            } else if !isDelimiter(byte) {
                token = rest.prefix { !isDelimiter($0) }
                let word = String(decoding: token, as: UTF8.self)
                let isNumber = Double(word) != nil
                if !["true", "false", "null"].contains(word) { replacement = isNumber ? Array("0".utf8) : placeholder }
            }
            result += replacement ?? Array(token)
            rest = rest[token.endIndex...]
        }
        return result
    }

    private static let placeholder = Array("\"\(Redaction.placeholder)\"".utf8)

    private static func isDelimiter(_ byte: UInt8) -> Bool { " \t\r\n,:[]{}\"".utf8.contains(byte) }

    private static func form(where isSecret: @escaping @Sendable (String, ArraySlice<UInt8>) -> Bool) -> Self {
        let scrubber = URLScrubber(valueEnds: Set("&".utf8), isSecret: isSecret)
        return Self { data, type in
            if let boundary = type?.boundary {
                return FormPart.redacted(data, boundary, where: isSecret) ?? data
            }
            guard type?.matches(.urlEncodedForm) == true else { return data }
            // The question mark makes the first item recognizable like the others, which follow a `&`.
            return Data(scrubber.scrubbed(Array("?".utf8) + data).dropFirst())
        }
    }
}
