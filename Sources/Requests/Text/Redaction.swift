/// The rules for hiding credentials in descriptions, logs and errors.
package enum Redaction {
    package static let placeholder = "<redacted>"

    /// Header fields whose values are credentials although their names don't end like one.
    private static let fieldNames: Set<String> = [
        "cookie", "setcookie", "authenticationinfo", "proxyauthenticationinfo",
    ]

    /// Endings of the names of credentials, in lower case, without `-` and `_`.
    private static let endings = [
        "accesskey", "accountkey", "apikey", "appkey", "applicationkey", "authkey", "authorization", "encryptionkey",
        "functionskey", "masterkey", "passphrase", "passwd", "password", "privatekey", "secret", "secretkey",
        "sharedkey", "signingkey", "subscriptionkey", "token",
    ]

    /// More endings of the names of credentials in queries, forms and JSON.
    private static let itemEndings = [
        "assertion", "codeverifier", "credential", "devicecode", "jwt", "pwd", "sessionid", "signature",
    ]

    /// Endings of names that aren't credentials: these tokens mark a position in a list.
    private static let pageEndings = [
        "backwardtoken", "continuationtoken", "deltatoken", "forwardtoken", "nexttoken", "pagetoken", "paginationtoken",
        "skiptoken", "startingtoken", "synctoken",
    ]

    /// More endings in header fields and queries. As JSON keys they have other meanings, too.
    private static let lineEndings = ["auth", "dpop", "otp", "sessid", "session", "signature256"]

    /// Names of query and form items that are credentials. As JSON keys they have other meanings, too.
    private static let queryNames: Set<String> = ["code", "key", "pass", "sid", "sig"]

    package static func isSensitive(fieldName name: String) -> Bool {
        let letters = letters(of: name.utf8)
        return fieldNames.contains(letters) || isSensitive(letters: letters)
            || lineEndings.contains { letters.hasSuffix($0) }
    }

    package static func isSensitive(queryName name: some StringProtocol) -> Bool {
        // The last part of a nested name counts, as in `user[password]` or `user.password`.
        let bytes = Array(name.utf8)
        guard let end = bytes.lastIndex(where: { !separatesNames($0) }) else { return false }
        let start = bytes[..<end].lastIndex(where: separatesNames).map { $0 + 1 } ?? 0
        let letters = letters(of: bytes[start...end])
        return queryNames.contains(letters) || isSensitive(letters: letters)
            || lineEndings.contains { letters.hasSuffix($0) }
    }

    private static func separatesNames(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: ".")
    }

    package static func isSensitive(jsonKey key: String) -> Bool {
        isSensitive(letters: letters(of: key.utf8))
    }

    private static func isSensitive(letters: String) -> Bool {
        (endings + itemEndings).contains { letters.hasSuffix($0) } && !pageEndings.contains { letters.hasSuffix($0) }
    }

    /// Returns the form in which names are compared: `accessToken`, `access_token` and `Access-Token` are equal.
    package static func letters(of name: some Sequence<UInt8>) -> String {
        let letters = name.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
        return String(decoding: letters.map(ASCII.lowercased), as: UTF8.self)
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

/// An error whose description contains no secrets.
package protocol QuotableError: Error {
    associatedtype Code: RawRepresentable<String>

    var code: Code { get }
}
