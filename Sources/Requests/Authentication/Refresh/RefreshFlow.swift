/// Sends a token, and another one where the first is not accepted.
struct RefreshFlow: SelfLimitingFlow {
    private let tokens: TokenStore
    private let authenticate: @Sendable (AccessToken, inout Header) -> Void
    private var request: PreparedRequest?
    private var token: AccessToken?
    private var deadline: CallDeadline?

    init(_ tokens: TokenStore, _ authenticate: @escaping @Sendable (AccessToken, inout Header) -> Void) {
        self.tokens = tokens
        self.authenticate = authenticate
    }

    mutating func limit(by deadline: CallDeadline) {
        self.deadline = deadline
    }

    mutating func start(_ request: inout PreparedRequest) async throws {
        guard !tokens.isRefreshing else { return }
        // Read once: one that comes meanwhile is not the one that has expired.
        let known = tokens.token
        let token: AccessToken
        if let known, tokens.isValid(known) {
            token = known
        } else {
            token = try await newToken(inPlaceOf: known, for: request).token
        }
        (self.request, self.token) = (request, token)
        authenticate(token, &request.header)
    }

    mutating func next(after head: ResponseHead) async throws -> AuthenticationStep {
        guard head.statusCode == 401, var request, let token else { return .done }
        let new = try await newToken(inPlaceOf: token, for: request)
        // A renewed token is tried once: a server that refuses it too has another reason.
        self.request = new.isRenewed ? nil : request
        self.token = new.token
        authenticate(new.token, &request.header)
        return .sendAgain(request)
    }

    private func newToken(
        inPlaceOf stale: AccessToken?,
        for request: PreparedRequest
    ) async throws -> TokenStore.NewToken {
        guard let deadline else { return try await tokens.newToken(inPlaceOf: stale) }
        return try await deadline.limiting(request.url) { [tokens] in try await tokens.newToken(inPlaceOf: stale) }
    }
}

extension AuthenticationProvider {
    /// A bearer token that is renewed where the server answers 401, and where it has expired (RFC 6750 §2.1, §3.1).
    ///
    /// - Parameter tokens: Holds the token; one for all requests that share it.
    public static func refreshing(_ tokens: TokenStore) -> AuthenticationProvider {
        .refreshing(tokens) { token, header in header.set(.authorization("Bearer \(token.value)")) }
    }

    /// A token in any form that is renewed where the server answers 401, and where it has expired.
    ///
    /// - Parameters:
    ///   - tokens: Holds the token; one for all requests that share it.
    ///   - authenticate: Puts a token into a header, in place of an older one.
    public static func refreshing(
        _ tokens: TokenStore,
        authenticate: @escaping @Sendable (AccessToken, inout Header) -> Void
    ) -> AuthenticationProvider {
        AuthenticationProvider(flow: { RefreshFlow(tokens, authenticate) })
    }
}
