extension AuthenticationProvider {
    /// A bearer token in `Authorization` (RFC 6750 §2.1).
    ///
    /// The token is sent as it is, because many servers use characters that RFC 6750 doesn't allow.
    ///
    /// Building the request throws ``RequestError/Code/invalidCredentials`` if the token is empty, contains a control
    /// character, or starts or ends with a space.
    public static func bearerToken(_ token: String) -> AuthenticationProvider {
        setting(Result { () throws(RequestError) in try bearerField(token) }).identified(by: ["bearer", token])
    }

    /// Sets a field that doesn't change, so that a request that is built again doesn't make it again.
    private static func setting(_ field: Result<Field, RequestError>) -> AuthenticationProvider {
        AuthenticationProvider { header in header.set(try field.get()) }
    }

    package static func bearerField(_ token: String) throws(RequestError) -> Field {
        let isPadded = token.utf8.first.map { $0 <= 0x20 } ?? false || token.utf8.last.map { $0 <= 0x20 } ?? false
        guard !token.isEmpty, !isPadded, !token.withBytes({ unsafe $0.contains(where: ASCII.isControl) }) else {
            throw RequestError(
                code: .invalidCredentials,
                subject: "token",
                message: isPadded
                    ? "The bearer token starts or ends with a line break or a space. Trim it where you load it."
                    : "The bearer token is empty or contains a control character. Check where you load it."
            )
        }
        return .authorization("Bearer " + token)
    }

    /// A user name and a password in `Authorization`, as Base64 of UTF-8 (RFC 7617).
    ///
    /// Building the request throws ``RequestError/Code/invalidCredentials`` if the user name contains a colon, because
    /// the server would read a different one, or if one of them contains a control character.
    public static func basicAuth(username: String, password: String) -> AuthenticationProvider {
        setting(Result { () throws(RequestError) in try basicField(username: username, password: password) })
            .identified(by: ["basic", username, password])
    }

    package static func basicField(username: String, password: String) throws(RequestError) -> Field {
        guard !username.utf8.contains(UInt8(ascii: ":")) else {
            throw RequestError(
                code: .invalidCredentials,
                subject: "username",
                message: "The user name contains a colon. Basic authentication doesn't allow it."
            )
        }
        for (part, text) in [("username", username), ("password", password)] {
            guard text.utf8.contains(where: ASCII.isControl) else { continue }
            throw RequestError(
                code: .invalidCredentials,
                subject: part,
                message: "The \(part) contains a control character. Basic authentication doesn't allow it."
            )
        }
        return .authorization("Basic \(Data("\(username):\(password)".utf8).base64EncodedString())")
    }

    /// An API key in a header field, which replaces the request's field of that name. Descriptions and logs redact it.
    public static func apiKey(_ key: String, inHeader name: Field.Name) -> AuthenticationProvider {
        signing { $0.header.set(Field(name: name, value: key).sensitive()) }
            .identified(by: ["header", ASCII.lowercased(name.rawValue), key])
    }

    /// An API key in a query item, which replaces the request's item of that name. Descriptions and logs redact it.
    ///
    /// ```swift
    /// let request = api.get(.text, from: "/weather")
    ///     .authenticated(with: .apiKey(key, inQuery: "appid"))
    /// ```
    public static func apiKey(_ key: String, inQuery name: String) -> AuthenticationProvider {
        signing { $0.url = $0.url.setting(secret: key, as: name) }.identified(by: ["query", name, key])
    }
}
