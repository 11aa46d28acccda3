/// What descriptions, logs and errors hide, and what they show in its place.
package enum Redaction {
    package static let placeholder = "<redacted>"

    /// Fields whose values are credentials, beside those whose names end like one.
    private static let fieldNames: Set<Field.Name> = [
        .cookie, .setCookie, "Authentication-Info", "Proxy-Authentication-Info",
    ]

    /// How names of credentials end, in lower case, without `-` and `_`.
    private static let endings = [
        "accesskey", "accountkey", "apikey", "appkey", "applicationkey", "authkey", "authorization", "encryptionkey",
        "functionskey", "masterkey", "passphrase", "passwd", "password", "privatekey", "secret", "secretkey",
        "sharedkey",
        "signingkey", "subscriptionkey", "token",
    ]

    /// How names of credentials in queries, forms and JSON end as well.
    private static let itemEndings = [
        "assertion", "codeverifier", "credential", "devicecode", "jwt", "pwd", "sessionid", "signature",
    ]

    /// How names end that are not those of credentials: such a token says where a list goes on.
    private static let pageEndings = [
        "backwardtoken", "continuationtoken", "deltatoken", "forwardtoken", "nexttoken", "pagetoken", "paginationtoken",
        "skiptoken", "startingtoken", "synctoken",
    ]

    /// How names of credentials in fields and queries end as well: as keys of JSON they mean other things, too.
    private static let lineEndings = ["auth", "dpop", "otp", "sessid", "session", "signature256"]

    /// Query items and items of forms whose values are credentials: as keys of JSON these names mean other things, too.
    private static let queryNames: Set<String> = ["code", "key", "pass", "sid", "sig"]

    package static func isSensitive(fieldName name: Field.Name) -> Bool {
        if fieldNames.contains(name) { return true }
        let letters = letters(of: name.rawValue.utf8)
        return isSensitive(letters: letters) || lineEndings.contains { letters.hasSuffix($0) }
    }

    package static func isSensitive(queryName name: some StringProtocol) -> Bool {
        // Of a nested name, such as `user[password]` or `user.password`, the last part tells.
        let parts = name.utf8.split { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") || $0 == UInt8(ascii: ".") }
        guard let letters = parts.last.map({ letters(of: $0) }) else { return false }
        return queryNames.contains(letters) || isSensitive(letters: letters)
            || lineEndings.contains { letters.hasSuffix($0) }
    }

    package static func isSensitive(jsonKey key: String) -> Bool {
        isSensitive(letters: letters(of: key.utf8))
    }

    private static func isSensitive(letters: String) -> Bool {
        (endings + itemEndings).contains { letters.hasSuffix($0) } && !pageEndings.contains { letters.hasSuffix($0) }
    }

    /// What names of secrets are compared by: `accessToken`, `access_token` and `Access-Token` are one.
    package static func letters(of name: some Sequence<UInt8>) -> String {
        let letters = name.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
        return String(decoding: letters.map(ASCII.lowercased), as: UTF8.self)
    }

    /// An error in words. Those of errors that are not ours may hold secrets: their type has to do.
    package static func reason(_ error: any Error) -> String {
        if error is any QuotableError { return "\(error)" }
        return error is CancellationError ? "cancelled" : "\(type(of: error))"
    }

    /// Text for an error message, no more than a line of it, in quotes.
    package static func quoted(_ text: String) -> String {
        let limit = 80
        let isCut = text.unicodeScalars.count > limit
        return "“\(escaped(String(text.unicodeScalars.prefix(limit))))\(isCut ? "…" : "")”"
    }

    /// Text with escapes in place of what would not show, or would break the line.
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

    /// A URL that could not be read, for an error message: without what may be user info, query or fragment.
    ///
    /// Scalar by scalar: a combining mark after a delimiter makes another character of it.
    package static func quotedURL(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let address = scalars.prefix { $0 != "?" && $0 != "#" }
        guard scalars.contains("@") else { return quoted(String(address)) }
        // An `@` behind a `?` may end a password that holds one: then nothing of the URL is shown.
        guard let at = address.lastIndex(of: "@"), !scalars[address.endIndex...].contains("@") else {
            return quoted(placeholder)
        }
        return quoted(placeholder + String(address[at...]))
    }
}

/// An error whose description holds no secret.
package protocol QuotableError: Error {}
