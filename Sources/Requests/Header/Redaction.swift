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

    /// Text for an error message: control characters shown as escapes, and no more than a line of it.
    package static func quoted(_ text: String) -> String {
        let limit = 80
        let shown = text.unicodeScalars.prefix(limit).map { $0.escaped(asASCII: false) }.joined()
        return "“\(shown)\(text.unicodeScalars.count > limit ? "…" : "")”"
    }

    /// A URL that could not be read, for an error message: without what may be user info, query or fragment.
    package static func quotedURL(_ text: String) -> String {
        let address = text.prefix { $0 != "?" && $0 != "#" }
        guard let at = address.lastIndex(of: "@") else { return quoted(String(address)) }
        return quoted(placeholder + address[at...])
    }
}
