/// What descriptions, logs and errors hide, and what they show in its place.
package enum Redaction {
    package static let placeholder = "<redacted>"

    /// Fields whose values are credentials, beside those whose names end like one.
    private static let fieldNames: Set<Field.Name> = [
        .cookie, .setCookie, "Authentication-Info", "Proxy-Authentication-Info",
    ]

    /// How names of fields with credentials end, in lower case, without `-` and `_`.
    private static let fieldEndings = [
        "accesskey", "apikey", "authkey", "authorization", "functionskey", "password", "secret", "secretkey",
        "subscriptionkey", "token",
    ]

    /// Query items whose values are credentials, in lower case, without `-` and `_`.
    private static let queryNames: Set<String> = [
        "accesstoken", "apikey", "assertion", "auth", "authorization", "clientsecret", "code", "credential", "idtoken",
        "key", "pass", "passwd", "password", "pwd", "refreshtoken", "secret", "sessionid", "sid", "sig", "signature",
        "subscriptionkey", "token", "xamzcredential", "xamzsecuritytoken", "xamzsignature", "xgoogsignature",
    ]

    package static func isSensitive(fieldName name: Field.Name) -> Bool {
        if fieldNames.contains(name) { return true }
        let letters = letters(of: name.rawValue.utf8)
        return fieldEndings.contains { letters.hasSuffix($0) }
    }

    package static func isSensitive(queryName name: some StringProtocol) -> Bool {
        // Of a nested name, such as `user[password]` or `user.password`, the last part tells.
        let parts = name.utf8.split { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") || $0 == UInt8(ascii: ".") }
        return parts.last.map { queryNames.contains(letters(of: $0)) } ?? false
    }

    /// What names of secrets are compared by: `accessToken`, `access_token` and `Access-Token` are one.
    package static func letters(of name: some Sequence<UInt8>) -> String {
        let letters = name.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
        return String(decoding: letters.map(ASCII.lowercased), as: UTF8.self)
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
