/// Answers the challenges of digest authentication.
struct DigestFlow: SelfLimitingFlow {
    let credentials: DigestCredentials
    private var request: PreparedRequest?
    private var answers = 0

    init(_ credentials: DigestCredentials) {
        self.credentials = credentials
    }

    /// It never waits.
    func limit(by deadline: CallDeadline) {}

    mutating func start(_ request: inout PreparedRequest) {
        self.request = request
        if let field = credentials.field(for: request) { request.header.set(field) }
    }

    mutating func next(after head: ResponseHead) -> AuthenticationStep {
        guard var request else { return .done }
        let origin = request.url.origin
        guard head.statusCode == 401 else {
            if let info = head.header["Authentication-Info"] { credentials.renew(origin, from: info) }
            return .done
        }
        guard let (session, isStale) = DigestSession.strongest(in: head.header) else { return .done }
        // What was just answered and is asked again is wrong, unless only the nonce was too old.
        guard answers == 0 || isStale else {
            credentials.forget(origin)
            return .done
        }
        answers += 1
        credentials.begin(session, for: origin)
        guard let field = credentials.field(for: request) else { return .done }
        request.header.set(field)
        return .sendAgain(request)
    }
}

/// A user name and a password, and what servers have asked to have them hidden in.
final class DigestCredentials: Sendable {
    private let username: String
    private let password: String
    private let cnonce: @Sendable () -> String
    private let sessions = Guarded<[RequestURL.Origin: DigestSession]>([:])

    init(username: String, password: String, cnonce: @escaping @Sendable () -> String) {
        self.username = username
        self.password = password
        self.cnonce = cnonce
    }

    /// Credentials for a request, where its server's challenge is known.
    func field(for request: PreparedRequest) -> Field? {
        let cnonce = cnonce()
        let session = sessions.withLock { sessions in
            sessions[request.url.origin]?.use(for: request, username: username, password: password, cnonce: cnonce)
        }
        // Outside of the lock: all of a body may have to be hashed.
        return session?.credentials(for: request, username: username, password: password, cnonce: cnonce)
    }

    func begin(_ session: DigestSession, for origin: RequestURL.Origin) {
        sessions.withLock { sessions in
            // What is forgotten is asked for again: it costs one exchange.
            if sessions.count >= 100, sessions[origin] == nil { sessions.removeAll() }
            sessions[origin] = session
        }
    }

    func renew(_ origin: RequestURL.Origin, from info: String) {
        sessions.withLock { $0[origin]?.renew(from: info) }
    }

    func forget(_ origin: RequestURL.Origin) {
        sessions.withLock { $0[origin] = nil }
    }
}
