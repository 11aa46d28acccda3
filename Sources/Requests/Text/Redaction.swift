/// The rules for hiding credentials in descriptions, logs and errors.
package enum Redaction {
    package static let placeholder = "REDACTED"

    /// Whether a header field's name contains a word of credentials.
    package static func isSensitive(fieldName name: String) -> Bool {
        isSensitive(queryName: name) || letters(of: name.utf8).hasSuffix("key")
    }

    /// Whether a query or form item's name contains a word of credentials.
    package static func isSensitive(queryName name: some StringProtocol) -> Bool {
        let parts = name.utf8.split { "[].".utf8.contains($0) }
        return isSensitive(jsonKey: name) || words(in: name.utf8).contains { ambiguousWords.contains($0) }
            || parts.last.map { wholeNames.contains(letters(of: $0)) } ?? false
    }

    /// Whether a JSON member's name contains a word of credentials that has no other meaning.
    package static func isSensitive(jsonKey key: some StringProtocol) -> Bool {
        let letters = letters(of: key.utf8)
        return words.contains { letters.contains($0) }
            || letters.contains("token") && !harmlessEndings.contains { letters.hasSuffix($0) }
    }

    /// Whether a query or form item is a credential, by its name and its value.
    ///
    /// A number isn't one if its name says that it counts, such as the `max_tokens` of a language model.
    package static func isSecret(queryName name: String, value: ArraySlice<UInt8>) -> Bool {
        let isNumber = value.count <= 20 && value.allSatisfy(\.isDigit)
        return !value.isEmpty && isSensitive(queryName: name) && !(isNumber && isCount(name))
    }

    /// Whether a JSON member is a credential, by its name and the first byte of its value. `nil` if the value is
    /// missing.
    package static func isSecret(jsonKey key: String, value: UInt8?) -> Bool {
        // The members of `prompt_tokens_details` are counts, whose names say so, too.
        let hasCounts = value == UInt8(ascii: "{") && letters(of: key.utf8).hasSuffix("tokensdetails")
        return isSensitive(jsonKey: key) && !(value?.isDigit == true && isCount(key)) && !hasCounts
    }

    private static func isCount(_ name: String) -> Bool {
        let letters = letters(of: name.utf8)
        return counts.contains { letters.hasSuffix($0) }
    }

    /// Words of credentials, wherever they occur in a name: `jsessionid`, `X-Webhook-Secret-V2`, `SAMLResponse`.
    private static let words = [
        "accesskey", "accountkey", "apikey", "appkey", "applicationkey", "assertion", "authcode", "authentic",
        "authkey", "authorization", "bearer", "clientkey", "codeverifier", "cookie", "credential", "csrf", "devicecode",
        "dpop", "encryptionkey", "functionskey", "hmac", "jwt", "masterkey", "oauth", "oidc", "passcode", "passphrase",
        "passwd", "password", "privatekey", "pwd", "recoverycode", "saml", "secret", "sessid", "sessionid", "sharedkey",
        "signature", "signingkey", "subscriptionkey", "usercode", "verificationcode", "xsrf",
    ]

    /// Words of credentials that have other meanings as JSON keys, or within other words.
    private static let ambiguousWords: Set<String> = [
        "auth", "authn", "authz", "cvc", "cvv", "mac", "mfa", "nonce", "otp", "pass", "pin", "psk", "session", "sid",
        "sig", "ticket", "totp",
    ]

    /// Names of credentials that have other meanings in longer names, such as `zip_code` and `primary_key`.
    private static let wholeNames: Set<String> = ["code", "key"]

    /// Endings of names that contain a position in a list or a kind of token, not a credential.
    private static let harmlessEndings = [
        "backwardtoken", "continuationtoken", "deltatoken", "forwardtoken", "nexttoken", "pagetoken", "paginationtoken",
        "skiptoken", "startingtoken", "synctoken", "tokentype", "tokentypehint",
    ]

    /// Endings of names whose numbers count or measure something.
    private static let counts = [
        "expires", "expiresat", "expiresin", "expiry", "lifetime", "limit", "maxage", "tokencount", "tokens", "ttl",
    ]

    /// Returns the form in which names are compared: `accessToken`, `access_token` and `Access-Token` are equal.
    package static func letters(of name: some Sequence<UInt8>) -> String {
        let letters = name.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
        return String(decoding: letters.map(ASCII.lowercased), as: UTF8.self)
    }

    /// Returns the words of a name in lowercase, such as `api`, `auth` and `url` for `api_authURL2`.
    private static func words(in name: some Sequence<UInt8>) -> [String] {
        var spaced: [UInt8] = []
        var isAfterSmallLetter = false
        for byte in name {
            let (small, isSmall) = (ASCII.lowercased(byte), byte &- UInt8(ascii: "a") < 26)
            if isAfterSmallLetter && !isSmall { spaced.append(UInt8(ascii: " ")) }
            spaced.append(small &- UInt8(ascii: "a") < 26 ? small : UInt8(ascii: " "))
            isAfterSmallLetter = isSmall
        }
        return spaced.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the description of one of our errors, or the type of any other error, whose text may contain secrets.
    package static func reason(_ error: any Error) -> String {
        if error is any QuotableError { return "\(error)" }
        return error is CancellationError ? "cancelled" : "\(type(of: error))"
    }

    /// Returns the code of one of our errors, or the type of any other error.
    package static func kind(of error: any Error) -> String {
        (error as? any QuotableError)?.code.rawValue ?? "\(type(of: error))"
    }

    /// Returns at most 80 characters of the text, in quotes, for an error message.
    package static func quoted(_ text: String) -> String {
        let limit = 80
        let isCut = text.unicodeScalars.count > limit
        return "“\(escaped(String(text.unicodeScalars.prefix(limit))))\(isCut ? "…" : "")”"
    }

    /// Returns the text with invisible characters and line breaks escaped.
    package static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
                scalar.escaped(asASCII: true)
            default: String(scalar)
            }
        }
        .joined()
    }

    /// Returns an invalid URL for an error message, without its user info, query and fragment.
    ///
    /// Works on scalars because a delimiter and a combining mark are one `Character`.
    package static func quotedURL(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let address = scalars.prefix { $0 != "?" && $0 != "#" }
        guard scalars.contains("@") else { return quoted(String(address)) }
        // An `@` after a `?` may end a password that contains the `?`. In that case nothing is shown.
        guard let at = address.lastIndex(of: "@"), !scalars[address.endIndex...].contains("@") else {
            return quoted(placeholder)
        }
        return quoted(placeholder + String(address[at...]))
    }
}

/// A value whose description contains no secrets. Debuggers and `dump` show only the description.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
    /// The same as the description, so that a debugger shows no secrets either.
    public var debugDescription: String { description }

    /// The description alone, so that `dump` shows no secrets either.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// An error that shows only its description.
package protocol RedactedError: Redacted, LocalizedError {}

extension RedactedError {
    /// The same as the description.
    public var errorDescription: String? { description }
}

extension Redaction {
    /// Returns JSON with the values of sensitive members, and the credentials in URLs, replaced by a placeholder.
    ///
    /// - Returns: UTF-8 text. `nil` if the text isn't JSON, or there is nothing to hide.
    static func hidingMembers(inJSON data: Data) -> Data? {
        let bytes = Array(JSONText.utf8(data))
        let first = bytes.first { !isSpace($0) && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
        let shown = replacingMembers(inJSON: bytes, isWhole: true, where: isSecret) { value in
            value.elementsEqual("null".utf8) ? Array(value) : Array("\"\(placeholder)\"".utf8)
        }
        return shown == bytes ? nil : Data(shown)
    }

    /// Returns JSON with the values of secret members replaced.
    ///
    /// Works on text instead of values, so that it also reads JSON that is truncated or deeply nested, and keeps
    /// numbers as they are sent.
    ///
    /// - Parameters:
    ///   - isWhole: Whether the text is JSON, so that its strings are known, and the credentials in their URLs are
    ///     replaced, too. Otherwise the text contains JSON, and any quote may begin a name.
    ///   - isSecret: Whether a member is secret, by its name and the first byte of its value.
    package static func replacingMembers(
        inJSON bytes: [UInt8],
        isWhole: Bool,
        where isSecret: (String, UInt8?) -> Bool,
        with replacement: (ArraySlice<UInt8>) -> [UInt8]
    ) -> [UInt8] {
        var shown: [UInt8] = []
        shown.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\"") else {
                shown.append(bytes[index])
                index += 1
                continue
            }
            // The limit prevents quadratic time if every quote may begin a name.
            let limit = isWhole ? bytes.count : min(index + 1024, bytes.count)
            let end = JSONText.endOfString(at: index, in: bytes[..<limit])
            let literal = bytes[index..<end]
            let colon = skipSpace(from: end, in: bytes)
            let isName = colon < bytes.count && bytes[colon] == UInt8(ascii: ":")
            let value = isName ? skipSpace(from: colon + 1, in: bytes) : end
            if isName, isSecret(text(of: literal), value < bytes.count ? bytes[value] : nil) {
                let valueEnd = endOfValue(at: value, in: bytes)
                shown += bytes[index..<value] + replacement(bytes[value..<valueEnd])
                index = valueEnd
            } else if isWhole {
                shown += isName ? literal : hidingURLs(inLiteral: literal) ?? literal
                index = end
            } else {
                shown.append(bytes[index])
                index += 1
            }
        }
        return shown
    }

    /// Returns a string literal without the credentials in its URLs. `nil` if it contains none.
    private static func hidingURLs(inLiteral literal: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard literal.contains(UInt8(ascii: "=")) || literal.contains(UInt8(ascii: "@")) else { return nil }
        let text = text(of: literal)
        let shown = hidingCredentials(in: text)
        guard shown != text, let json = try? JSONEncoder().encode(shown) else { return nil }
        return Array(json)[...]
    }

    private static func text(of literal: ArraySlice<UInt8>) -> String {
        let isEscaped = literal.contains(UInt8(ascii: "\\"))
        let decoded = isEscaped ? try? JSONDecoder().decode(String.self, from: Data(literal)) : nil
        return decoded ?? String(decoding: literal.dropFirst().dropLast(), as: UTF8.self)
    }

    /// Returns the index after the value that starts at an index, or the end of the text.
    private static func endOfValue(at start: Int, in bytes: [UInt8]) -> Int {
        var (index, depth) = (start, 0)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index = JSONText.endOfString(at: index, in: bytes)
                if depth == 0 { return index }
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth <= 1 { return index + depth }
                depth -= 1
            case UInt8(ascii: ","): if depth == 0 { return index }
            default: if depth == 0, isSpace(bytes[index]) { return index }
            }
            index += 1
        }
        return bytes.count
    }

    private static func skipSpace(from start: Int, in bytes: [UInt8]) -> Int {
        bytes[start...].firstIndex { !isSpace($0) } ?? bytes.endIndex
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte.isFieldWhitespace || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}

/// Hides credentials in text that contains URLs. Works on bytes, in linear time, because servers choose the text.
extension Redaction {
    /// How often a URL may be encoded within a query item. Another encoded URL is hidden as a whole.
    private static let maximumNesting = 3

    /// Returns text without the credentials in its URLs.
    package static func hidingCredentials(in text: String) -> String {
        hidingItems(in: hidingUserInfo(in: text))
    }

    /// Returns text without the values of query items and path parameters that are credentials.
    ///
    /// - Parameters:
    ///   - names: Sensitive names in addition to the usual ones.
    ///   - nesting: How often the text was encoded.
    static func hidingItems(in text: String, named names: Set<String> = [], nesting: Int = 0) -> String {
        guard text.utf8.contains(UInt8(ascii: "=")) else { return text }
        let bytes = Array(text.utf8)
        var shown: [UInt8] = []
        shown.reserveCapacity(bytes.count)
        var (nameStart, index, valueEnd) = (0, 0, 0)
        while index < bytes.count {
            let byte = bytes[index]
            shown.append(byte)
            index += 1
            if endsName(byte) {
                nameStart = index
            } else if byte == UInt8(ascii: "=") {
                let name = PercentEncoding.decoded(String(decoding: bytes[nameStart..<(index - 1)], as: UTF8.self))
                nameStart = index
                let isNewValue = index > valueEnd
                if isNewValue { valueEnd = bytes[index...].firstIndex(where: endsValue) ?? bytes.endIndex }
                if names.contains(name) || isSecret(queryName: name, value: bytes[index..<max(index, valueEnd)]) {
                    if valueEnd > index { shown += Array(placeholder.utf8) }
                    index = valueEnd
                } else if isNewValue, let value = hidingNestedURL(in: bytes[index..<valueEnd], nesting) {
                    shown += value
                    index = valueEnd
                }
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Returns a value that contains an encoded URL without the URL's credentials. `nil` if it contains none.
    private static func hidingNestedURL(in value: ArraySlice<UInt8>, _ nesting: Int) -> [UInt8]? {
        guard value.contains(UInt8(ascii: "%")) else { return nil }
        let text = PercentEncoding.decoded(String(decoding: value, as: UTF8.self))
        guard text.utf8.contains(where: { "=%@".utf8.contains($0) }) else { return nil }
        if nesting == maximumNesting { return Array(placeholder.utf8) }
        let shown = hidingItems(in: hidingUserInfo(in: text), nesting: nesting + 1)
        guard shown != text else { return nil }
        return Array(PercentEncoding.encoded(shown, keeping: PercentEncoding.redacted).utf8)
    }

    /// Returns text without the user info of its URLs.
    private static func hidingUserInfo(in text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        let bytes = Array(text.utf8)
        var shown: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index...].starts(with: "//".utf8) else {
                shown.append(bytes[index])
                index += 1
                continue
            }
            let start = index + 2
            shown += Array("//".utf8)
            let end = bytes[start...].firstIndex { endsValue($0) || "/?".utf8.contains($0) } ?? bytes.endIndex
            let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@"))
            shown += (at == nil ? [] : Array(placeholder.utf8)) + bytes[(at ?? start)..<end]
            index = end
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Whether a byte ends the value of an item.
    private static func endsValue(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "#"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
            UInt8(ascii: " "):
            true
        default: false
        }
    }

    /// Whether a byte ends a name. `?` and `;` can be part of a value.
    private static func endsName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "?") || byte == UInt8(ascii: ";") || endsValue(byte)
    }
}
