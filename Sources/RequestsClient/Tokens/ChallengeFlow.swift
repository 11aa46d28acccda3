import Requests

extension AuthenticationProvider {
    /// Digest authentication, which never sends the password.
    ///
    /// Responds to the strongest challenge: SHA-512, then SHA-512-256, SHA-256 and MD5, each also with `-sess`. Uses
    /// the quality of protection `auth`, or `auth-int` if the server offers nothing else and the body is in memory.
    ///
    /// Keep the provider, so that later requests to the same origin contain credentials from the start. Other origins
    /// never get them.
    ///
    /// - Parameters:
    ///   - username: The user name. Sent as a hash if the server asks for it.
    ///   - password: The password.
    ///   - cnonce: Creates the client's nonces. Default: `nil`, 128 random bits.
    ///
    /// Specification: RFC 7616.
    public static func digest(
        username: String,
        password: String,
        cnonce: (@Sendable () -> String)? = nil
    ) -> AuthenticationProvider {
        challenged(PasswordSessions(username: username, password: password), cnonce)
    }

    /// Digest authentication if the server offers it, and basic authentication otherwise.
    ///
    /// Anyone on the way can read basic credentials, so use it with `https` only. Otherwise it works like
    /// ``digest(username:password:cnonce:)``.
    ///
    /// Specification: RFC 7616, RFC 7617.
    public static func basicOrDigest(
        username: String,
        password: String,
        cnonce: (@Sendable () -> String)? = nil
    ) -> AuthenticationProvider {
        challenged(PasswordSessions(username: username, password: password, allowsBasic: true), cnonce)
    }

    private static func challenged(_ sessions: PasswordSessions, _ cnonce: (@Sendable () -> String)?) -> Self {
        let credentials = ChallengeCredentials(sessions, cnonce ?? { PasswordSession.randomNonce() })
        return AuthenticationProvider(flow: { ChallengeFlow(credentials: credentials) })
            .identified(by: ["password", sessions.username, sessions.password])
    }
}

/// Responds to challenges for a user name and a password.
struct ChallengeFlow: AuthenticationFlow {
    let credentials: ChallengeCredentials
    var request: PreparedRequest?
    var sent: Field?
    var hasAnswered = false

    mutating func start(_ request: inout PreparedRequest) throws {
        (self.request, hasAnswered) = (request, false)
        sent = try credentials.field(for: request)
        if let sent { request.header.set(sent) }
    }

    mutating func next(after head: ResponseHead) throws -> Step {
        guard var request else { return .done }
        let (origin, hasAnswered) = (request.url.origin, hasAnswered)
        let begins = credentials.sessions.withLock { $0.begin(after: head, from: origin, hasAnswered: hasAnswered) }
        guard begins else { return .done }
        self.hasAnswered = true
        // Basic credentials are always the same, so they can't be right the second time.
        guard let field = try credentials.field(for: request), field != sent else {
            credentials.sessions.withLock { $0.forget(origin) }
            return .done
        }
        request.header.set(field)
        return .sendAgain(request)
    }
}

/// The sessions that all requests of a provider share.
final class ChallengeCredentials: Sendable {
    let sessions: Locked<PasswordSessions>
    private let cnonce: @Sendable () -> String

    init(_ sessions: PasswordSessions, _ cnonce: @escaping @Sendable () -> String) {
        self.sessions = Locked(sessions)
        self.cnonce = cnonce
    }

    /// Returns the credentials for a request. `nil` if the server hasn't sent a challenge yet.
    func field(for request: PreparedRequest) throws -> Field? {
        let cnonce = cnonce()
        return try sessions.withLock { $0.use(for: request, cnonce: cnonce) }?()
    }
}
