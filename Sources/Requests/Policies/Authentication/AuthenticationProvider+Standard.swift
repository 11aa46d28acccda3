import Foundation

extension AuthenticationProvider {
    /// A bearer token in `Authorization` (RFC 6750 §2.1).
    public static func bearerToken(_ token: String) -> AuthenticationProvider {
        field(.authorization("Bearer " + token))
    }

    /// A user name and a password in `Authorization`, as Base64 of UTF-8 (RFC 7617).
    ///
    /// The build throws ``RequestError/Code/invalidCredentials`` if the user name contains a colon, because the server
    /// would read a different one.
    public static func basicAuth(username: String, password: String) -> AuthenticationProvider {
        AuthenticationProvider { header in
            guard !username.utf8.contains(UInt8(ascii: ":")) else {
                throw RequestError(
                    code: .invalidCredentials,
                    subject: "username",
                    message: "The user name contains a colon. Basic authentication doesn't allow it."
                )
            }
            header.set(.authorization("Basic \(Data("\(username):\(password)".utf8).base64EncodedString())"))
        }
    }

    /// The place of an API key in a request.
    public enum APIKeyLocation: Hashable, Sendable {
        /// A header field. Its value is redacted in descriptions and logs.
        case header(Field.Name)
        /// A query item. Its value is redacted in descriptions and logs.
        case query(String)
    }

    /// An API key. Replaces what the request has in the same place.
    ///
    /// ```swift
    /// let request = api.get(.text, from: "/weather").authenticated(with: .apiKey(key, in: .query("appid")))
    /// ```
    public static func apiKey(_ key: String, in location: APIKeyLocation) -> AuthenticationProvider {
        switch location {
        case .header(let name):
            field(Field(name: name, value: key).sensitive())
        case .query(let name):
            signing { request in request.url = request.url.setting(secret: key, as: name) }
        }
    }

    private static func field(_ field: Field) -> AuthenticationProvider {
        signing { request in request.header.set(field) }
    }
}
