import Requests

/// Responds to challenges for a user name and a password.
struct ChallengeFlow: AuthenticationFlow {
    let credentials: ChallengeCredentials
    var request: PreparedRequest?
    var sent: Field?
    var hasAnswered = false

    mutating func start(_ request: inout PreparedRequest) throws {
        self.request = request
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
