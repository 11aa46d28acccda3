/// What descriptions, logs and errors hide, and what they show in its place.
package enum Redaction {
    package static let placeholder = "<redacted>"

    /// Fields whose values are credentials.
    package static let fieldNames: Set<Field.Name> = [
        .authorization, .proxyAuthorization, .cookie, .setCookie,
        "X-Api-Key", "Api-Key", "X-Auth-Token", "X-Amz-Security-Token", "X-Csrf-Token", "X-Xsrf-Token",
        "Authentication-Info", "Proxy-Authentication-Info", "Private-Token", "X-Access-Token",
    ]

    /// Query items whose values are credentials, in lower case, without `-` and `_`.
    private static let queryNames: Set<String> = [
        "accesstoken", "apikey", "assertion", "auth", "authorization", "clientsecret", "code", "credential", "idtoken",
        "key", "pass", "passwd", "password", "pwd", "refreshtoken", "secret", "sessionid", "sid", "sig", "signature",
        "subscriptionkey", "token", "xamzcredential", "xamzsecuritytoken", "xamzsignature", "xgoogsignature",
    ]

    package static func isSensitive(queryName: some StringProtocol) -> Bool {
        let letters = queryName.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
        return queryNames.contains(String(decoding: letters.map(ASCII.lowercased), as: UTF8.self))
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

extension Redaction {
    /// An error in words. Those of errors that are not ours may hold secrets: their type has to do.
    package static func reason(_ error: any Error) -> String {
        switch error {
        case is InvalidRequestURLError, is RequestError, is TransportError, is ClientError, is ResponseError:
            "\(error)"
        case is CancellationError: "cancelled"
        default: "\(type(of: error))"
        }
    }
}
