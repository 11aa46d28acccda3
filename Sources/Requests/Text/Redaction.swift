/// The rules for hiding credentials in descriptions, logs and errors.
package enum Redaction {
    package static let placeholder = "<redacted>"

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
            || letters.contains("token") && !positions.contains { letters.hasSuffix($0) }
    }

    /// Whether a JSON member is a credential, by its name and the first byte of its value. `nil` if the value is
    /// missing.
    ///
    /// A number isn't one if its name says that it counts, such as the `max_tokens` of a language model.
    package static func isSecret(jsonKey key: String, value: UInt8?) -> Bool {
        let letters = letters(of: key.utf8)
        let isCount = value?.isDigit == true && counts.contains { letters.hasSuffix($0) }
        // The members of `prompt_tokens_details` are counts, whose names say so, too.
        let hasCounts = value == UInt8(ascii: "{") && letters.hasSuffix("tokensdetails")
        return isSensitive(jsonKey: key) && !isCount && !hasCounts
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

    /// Endings of names that contain a position in a list, not a credential.
    private static let positions = [
        "backwardtoken", "continuationtoken", "deltatoken", "forwardtoken", "nexttoken", "pagetoken", "paginationtoken",
        "skiptoken", "startingtoken", "synctoken",
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

/// An error whose description contains no secrets.
package protocol QuotableError: Error {
    associatedtype Code: RawRepresentable<String>

    var code: Code { get }
}
