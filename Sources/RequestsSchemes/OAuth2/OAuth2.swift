import Requests

/// An OAuth 2 authorization server, described by its URLs and the app's identity. Its requests return access tokens.
///
/// ```swift
/// let server = OAuth2(
///     tokenURL: URL("https://login.example.com/token"),
///     client: .confidential(id: "reports", secret: "s3cret")
/// )
/// let token = try await login.send(
///     server.clientCredentials(scope: ["reports.read"])
/// )
/// ```
///
/// If the server rejects a request, sending it throws a `ResponseError` with a ``Failure`` as its underlying error.
/// Responses may be JSON or forms. Optional members that can't be read count as missing.
/// Redirects aren't followed, and only tokens of the type `bearer` are accepted. The app opens the browser, receives
/// its redirect and stores tokens.
///
/// Specification: RFC 6749.
public struct OAuth2: RequestProviding {
    /// The app's identity at the server, and how it is proven.
    public enum Client: Hashable, Sendable {
        /// An app that can't keep a secret, such as a mobile app.
        case `public`(id: String)
        /// An app with a secret, which is sent with basic authentication.
        case confidential(id: String, secret: String)
        /// An app with a secret, which is sent with basic authentication as it is. Many servers don't decode the form
        /// encoding of RFC 6749 §2.3.1, which ``confidential(id:secret:)`` applies.
        case confidentialUnencoded(id: String, secret: String)
        /// An app with a secret, which is sent in the body, for servers that don't support basic authentication.
        case confidentialInBody(id: String, secret: String)

        /// The identifier of the app, which isn't a secret.
        public var id: String {
            switch self {
            case .public(let id), .confidential(let id, _), .confidentialUnencoded(let id, _),
                .confidentialInBody(let id, _):
                id
            }
        }
    }

    /// The URL of the token endpoint.
    public let baseURL: URL

    private let authorizationURL: URL?
    private let client: Client
    private let date: @Sendable () -> Date

    /// Creates a description of a server.
    ///
    /// - Parameters:
    ///   - tokenURL: The token endpoint.
    ///   - authorizationURL: The URL of the login page. Default: `nil`, for apps without user logins.
    ///   - client: The app's identity at the server.
    ///   - date: Returns the current date, from which the expiration of a token is computed. Default: the system's.
    public init(
        tokenURL: URL,
        authorizationURL: URL? = nil,
        client: Client,
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.baseURL = tokenURL
        self.authorizationURL = authorizationURL
        self.client = client
        self.date = date
    }

    /// Returns a request for a token of the app itself, without a user (RFC 6749 §4.4).
    public func clientCredentials(scope: [String] = []) -> Request<OAuth2, AccessToken> {
        token("client_credentials", ["scope": OAuth2.text(of: scope)])
    }

    /// Returns a request that exchanges a refresh token for a new access token (RFC 6749 §6).
    ///
    /// If the server sends no new refresh token, the returned token contains this one.
    public func refresh(_ refreshToken: String, scope: [String] = []) -> Request<OAuth2, AccessToken> {
        token("refresh_token", ["refresh_token": refreshToken, "scope": OAuth2.text(of: scope)], keeping: refreshToken)
    }

    /// Returns a request that exchanges the code of a finished login for a token (RFC 6749 §4.1.3).
    ///
    /// - Parameters:
    ///   - code: The code in the redirect from the login page.
    ///   - redirectURI: The URI that was passed to ``authorizationURL(redirectURI:scope:state:pkce:)``.
    ///   - pkce: The secret whose challenge was passed there. `nil` if there was none.
    public func exchange(code: String, redirectURI: String, pkce: PKCE?) -> Request<OAuth2, AccessToken> {
        token(
            "authorization_code",
            ["code": code, "redirect_uri": redirectURI, "code_verifier": pkce?.verifier]
        )
    }

    /// Returns the URL of the login page, for a browser (RFC 6749 §4.1.1).
    ///
    /// - Parameters:
    ///   - redirectURI: The URI of the app to which the login page redirects.
    ///   - scope: What the app asks for. Default: the server's default.
    ///   - state: A random value. Check that the redirect contains it; otherwise another site has started the login.
    ///   - pkce: The secret of this login, of which only the challenge is sent. Pass `nil` only for servers that don't
    ///     support PKCE.
    /// - Throws: `RequestError.Code.invalidEndpoint` if this value has no authorization URL.
    public func authorizationURL(
        redirectURI: String,
        scope: [String] = [],
        state: String,
        pkce: PKCE?
    ) throws -> URL {
        guard let authorizationURL else { throw RequestError.noAuthorizationURL }
        let query: Query = [
            "response_type": "code", "client_id": client.id, "redirect_uri": redirectURI,
            "scope": OAuth2.text(of: scope), "state": state, "code_challenge": pkce?.challenge,
            "code_challenge_method": pkce.map { _ in "S256" },
        ]
        return try BaseURL(authorizationURL).get(.none, from: "").with(query: query)
            .prepared()
            .url.url
    }

    func token(_ grant: String, _ items: Query, keeping refreshToken: String? = nil) -> Request<OAuth2, AccessToken> {
        let scope = items.items.first { $0.name == "scope" }?.value
        return form(["grant_type": grant], items, to: "").receiving(token(keeping: refreshToken, scope))
    }

    /// Returns a `POST` request with the app's credentials, which are never redirected to another server.
    func form(_ items: Query, _ more: Query, to endpoint: Endpoint) -> Request<OAuth2, Void> {
        var all = Query(items.items + more.items)
        var authentication = AuthenticationProvider.none
        switch client {
        case .public(let id): all.items.append(URLQueryItem(name: "client_id", value: id))
        case .confidential(let id, let secret):
            // OAuth encodes both like a form before the usual encoding of basic authentication (RFC 6749 §2.3.1).
            authentication = .basicAuth(username: OAuth2.encoded(id), password: OAuth2.encoded(secret))
        case .confidentialUnencoded(let id, let secret):
            authentication = .basicAuth(username: id, password: secret)
        case .confidentialInBody(let id, let secret):
            all.items.append(URLQueryItem(name: "client_id", value: id))
            all.items.append(URLQueryItem(name: "client_secret", value: secret))
        }
        return post(BodyProvider.form(all).sensitive(), to: endpoint)
            .setting(headerField: .accept(.json))
            .authenticated(with: authentication)
            .redirecting(.never)
    }

    /// - Parameters:
    ///   - refreshToken: The refresh token to use if the server doesn't send a new one.
    ///   - scope: The requested scope, which is also the granted one if the server doesn't send any (RFC 6749 §5.1).
    private func token(keeping refreshToken: String?, _ scope: String?) -> ResponseDecoder<AccessToken> {
        OAuth2.decoder { [date] head, data in
            let response = try OAuth2.decode(TokenResponse.self, head, data)
            // Some servers return errors with status 200.
            guard let token = response.token else { throw ResponseError.noToken(head, data) }
            // Some servers omit the type, although it is required.
            let type = response.type ?? "bearer"
            guard ASCII.equalsIgnoringCase(type, "bearer") else { throw ResponseError.unsupported(type, head, data) }
            return AccessToken(
                token,
                refreshToken: response.refreshToken ?? refreshToken,
                expires: response.lifetime.map { date().addingTimeInterval($0.value) },
                // GitHub separates them by commas.
                scope: (response.scope?.tokens ?? scope?.split(separator: " "))?.map(String.init),
                idToken: response.idToken
            )
        }
    }

    /// Returns a decoder that reads the body of a rejection as a ``Failure``.
    static func decoder<Value: Sendable>(
        _ read: @escaping @Sendable (ResponseHead, Data) throws -> Value
    ) -> ResponseDecoder<Value> {
        let rules = ResponseRules(failure: { head, data, _ in try? decode(Failure.self, head, data) })
        return ResponseDecoder.reading(read).with(rules: rules)
    }

    /// Decodes JSON, or a form, which GitHub and others send by default.
    static func decode<Value: Decodable & Sendable>(
        _ type: Value.Type,
        _ head: ResponseHead,
        _ data: Data
    ) throws -> Value {
        let json = head.mediaType?.isForm == true ? try JSONEncoder().encode(items(ofForm: data)) : data
        return try ResponseDecoder.json(type, decoder: JSONDecoder()).decode(head, json)
    }

    /// The items by name. The first of repeated ones counts.
    private static func items(ofForm data: Data) -> [String: String] {
        let items = String(decoding: data, as: UTF8.self).split(separator: "&").map { item in
            item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentEncoding.decoded(String($0.map { $0 == "+" ? " " : $0 })) }
        }
        return Dictionary(items.map { ($0[0], $0.dropFirst().first ?? "") }) { first, _ in first }
    }

    static func text(of scope: [String]) -> String? { scope.isEmpty ? nil : scope.joined(separator: " ") }

    private static let formBytes = ByteSet(alphanumericsAnd: "*-._ ")

    private static func encoded(_ text: String) -> String {
        String(PercentEncoding.encoded(text, keeping: formBytes).map { $0 == " " ? "+" : $0 })
    }
}

extension OAuth2.Client: Redacted {
    /// The identifier, without the secret.
    public var description: String { id }
}

/// The body of a successful response (RFC 6749 §5.1). Only the token is needed, so a member that can't be read counts
/// as missing.
private struct TokenResponse: Decodable, Sendable {
    let token: String?
    let type: String?
    let refreshToken: String?
    let lifetime: Seconds?
    let scope: String?
    let idToken: String?

    private enum CodingKeys: String, CodingKey {
        case token = "access_token"
        case type = "token_type"
        case refreshToken = "refresh_token"
        case lifetime = "expires_in"
        case scope
        case idToken = "id_token"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) -> String? {
            members.readable(String.self, forKey: key).flatMap { $0.isEmpty ? nil : $0 }
        }
        (token, type, refreshToken, idToken) = (text(.token), text(.type), text(.refreshToken), text(.idToken))
        lifetime = members.readable(Seconds.self, forKey: .lifetime)
        // An empty scope is a scope. Twitch sends an array.
        scope =
            members.readable(String.self, forKey: .scope)
            ?? members.readable([String].self, forKey: .scope)?.joined(separator: " ")
    }
}

/// A number of seconds, which some servers send as a string.
struct Seconds: Hashable, Decodable, Sendable {
    let value: TimeInterval

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let number = try? container.decode(TimeInterval.self)
        guard let value = try number ?? TimeInterval(container.decode(String.self)), value.isFinite else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "Expected a number of seconds.")
        }
        self.value = value
    }
}

extension ResponseError {
    fileprivate static func unsupported(_ type: String, _ head: ResponseHead, _ data: Data) -> ResponseError {
        ResponseError(
            code: .decoding,
            head: head,
            data: data,
            message: "The token from \(head.url) has the type \(Redaction.quoted(type)), but only bearer tokens are "
                + "supported. Request one."
        )
    }

    fileprivate static func noToken(_ head: ResponseHead, _ data: Data) -> ResponseError {
        ResponseError(
            code: .decoding,
            head: head,
            data: data,
            message: "The response from \(head.url) has no access token. Check that it is the token endpoint.",
            underlying: try? OAuth2.decode(OAuth2.Failure.self, head, data)
        )
    }
}

extension RequestError {
    fileprivate static let noAuthorizationURL = RequestError(
        code: .invalidEndpoint,
        subject: "authorizationURL",
        message: "The OAuth2 value has no authorization URL. Pass the URL of the login page when you create it."
    )
}
