import Requests

/// Sends a token, and a new one if it has expired or the server doesn't accept it. Refreshes it once at most: if the
/// server rejects a new token, too, the reason is another one.
struct RefreshFlow: CallFlow {
    private let tokens: TokenStore
    private let authenticate: @Sendable (AccessToken, inout Header) throws -> Void
    private var sent: (request: PreparedRequest, token: AccessToken)?
    private var hasRefreshed = false

    init(_ tokens: TokenStore, _ authenticate: @escaping @Sendable (AccessToken, inout Header) throws -> Void) {
        (self.tokens, self.authenticate) = (tokens, authenticate)
    }

    mutating func start(_ request: inout PreparedRequest) async throws {
        guard !tokens.isRefreshing else { return }
        let new = try await tokens.validToken(mayRefresh: !hasRefreshed)
        try set(new, &request)
    }

    mutating func next(after head: ResponseHead) async throws -> Step {
        guard head.statusCode == 401, !hasRefreshed, let (last, token) = sent else { return .done }
        var request = last
        try set(try await tokens.newToken(replacing: token), &request)
        return .sendAgain(request)
    }

    private mutating func set(_ new: TokenStore.NewToken, _ request: inout PreparedRequest) throws {
        sent = (request, new.token)
        if new.isRefreshed { hasRefreshed = true }
        try authenticate(new.token, &request.header)
    }
}

extension AuthenticationProvider {
    /// A bearer token that is refreshed when it has expired or the server responds with 401 (RFC 6750 §2.1, §3.1).
    ///
    /// A token that isn't valid throws, as with `bearerToken(_:)`.
    ///
    /// - Parameter tokens: Holds the token. Share it between all requests.
    public static func refreshing(_ tokens: TokenStore) -> AuthenticationProvider {
        AuthenticationProvider {
            RefreshFlow(tokens) { token, header in header.set(try bearerField(token.value)) }
        }.identified(by: ["tokens", tokens.identity])
    }

    /// A token in any form that is refreshed when it has expired or the server responds with 401.
    ///
    /// - Parameters:
    ///   - tokens: Holds the token. Share it between all requests.
    ///   - authenticate: Puts a token into a header and replaces an older one.
    public static func refreshing(
        _ tokens: TokenStore,
        authenticate: @escaping @Sendable (AccessToken, inout Header) -> Void
    ) -> AuthenticationProvider {
        AuthenticationProvider(flow: { RefreshFlow(tokens, authenticate) }).identified(by: ["tokens", tokens.identity])
    }
}
