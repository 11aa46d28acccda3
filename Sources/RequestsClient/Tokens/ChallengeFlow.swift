import Requests

/// Responds to challenges for a user name and a password.
struct ChallengeFlow: AuthenticationFlow {
    let credentials: ChallengeCredentials
    private var request: PreparedRequest?
    private var sent: Field?
    private var responses = 0

    init(_ credentials: ChallengeCredentials) {
        self.credentials = credentials
    }

    mutating func start(_ request: inout PreparedRequest) throws {
        self.request = request
        sent = try credentials.field(for: request)
        if let sent { request.header.set(sent) }
    }

    mutating func next(after head: ResponseHead) throws -> Step {
        guard var request else { return .done }
        let origin = request.url.origin
        guard head.statusCode == 401 else {
            if let info = head.header["Authentication-Info"] { credentials.renew(origin, from: info) }
            return .done
        }
        guard let (session, isStale) = credentials.session(for: head) else { return .done }
        // A second challenge means that the credentials are wrong, unless only the nonce was stale.
        guard responses == 0 || isStale else {
            credentials.forget(origin)
            return .done
        }
        responses += 1
        credentials.begin(session, for: origin)
        // Basic credentials are always the same, so they can't be right the second time.
        guard let field = try credentials.field(for: request), field != sent else {
            credentials.forget(origin)
            return .done
        }
        request.header.set(field)
        return .sendAgain(request)
    }
}

/// A user name and a password, with the servers' challenges.
final class ChallengeCredentials: Sendable {
    enum Session: Sendable {
        case digest(DigestSession)
        case basic
    }

    private let username: String
    private let password: String
    private let allowsBasic: Bool
    private let cnonce: @Sendable () -> String
    private let sessions = Locked<[RequestURL.Origin: Session]>([:])

    init(username: String, password: String, allowsBasic: Bool = false, _ cnonce: @escaping @Sendable () -> String) {
        self.username = username
        self.password = password
        self.allowsBasic = allowsBasic
        self.cnonce = cnonce
    }

    /// Returns the session that begins with a response's strongest challenge, and whether only a nonce was stale.
    func session(for head: ResponseHead) -> (Session, isStale: Bool)? {
        if let (session, isStale) = DigestSession.strongest(in: head.header) { return (.digest(session), isStale) }
        let challenges = AuthenticationProvider.Challenge.challenges(in: head.header)
        guard allowsBasic, challenges.contains(where: { $0.matches(scheme: "Basic") }) else { return nil }
        return (.basic, false)
    }

    /// Returns the credentials for a request. `nil` if the server hasn't sent a challenge yet.
    func field(for request: PreparedRequest) throws -> Field? {
        let cnonce = cnonce()
        let session = sessions.withLock { sessions -> Session? in
            guard case .digest(var session) = sessions[request.url.origin] else { return sessions[request.url.origin] }
            let used = session.use(for: request, username: username, password: password, cnonce: cnonce)
            sessions[request.url.origin] = .digest(session)
            return used.map { .digest($0) }
        }
        switch session {
        case nil: return nil
        case .basic: return try AuthenticationProvider.basicField(username: username, password: password)
        // Outside the lock, because it may hash a whole body.
        case .digest(let session):
            return session.credentials(for: request, username: username, password: password, cnonce: cnonce)
        }
    }

    func begin(_ session: Session, for origin: RequestURL.Origin) {
        sessions.withLock { sessions in
            // Limits the memory. A forgotten challenge costs one round trip.
            if sessions.count >= 100, sessions[origin] == nil { sessions.removeAll() }
            sessions[origin] = session
        }
    }

    func renew(_ origin: RequestURL.Origin, from info: String) {
        sessions.withLock { sessions in
            guard case .digest(var session) = sessions[origin] else { return }
            session.renew(from: info)
            sessions[origin] = .digest(session)
        }
    }

    func forget(_ origin: RequestURL.Origin) {
        sessions.withLock { $0[origin] = nil }
    }
}
