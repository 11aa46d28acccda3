import Requests

/// Responds to the challenges of digest authentication.
struct DigestFlow: AuthenticationFlow {
    let credentials: DigestCredentials
    private var request: PreparedRequest?
    private var responses = 0

    init(_ credentials: DigestCredentials) {
        self.credentials = credentials
    }

    mutating func start(_ request: inout PreparedRequest) {
        self.request = request
        if let field = credentials.field(for: request) { request.header.set(field) }
    }

    mutating func next(after head: ResponseHead) -> Step {
        guard var request else { return .done }
        let origin = request.url.origin
        guard head.statusCode == 401 else {
            if let info = head.header["Authentication-Info"] { credentials.renew(origin, from: info) }
            return .done
        }
        guard let (session, isStale) = DigestSession.strongest(in: head.header) else { return .done }
        // A second challenge means that the credentials are wrong, unless only the nonce was stale.
        guard responses == 0 || isStale else {
            credentials.forget(origin)
            return .done
        }
        responses += 1
        credentials.begin(session, for: origin)
        guard let field = credentials.field(for: request) else { return .done }
        request.header.set(field)
        return .sendAgain(request)
    }
}

/// A user name and a password, with the servers' challenges.
final class DigestCredentials: Sendable {
    private let username: String
    private let password: String
    private let cnonce: @Sendable () -> String
    private let sessions = Locked<[RequestURL.Origin: DigestSession]>([:])

    init(username: String, password: String, cnonce: @escaping @Sendable () -> String) {
        self.username = username
        self.password = password
        self.cnonce = cnonce
    }

    /// Returns the credentials for a request. `nil` if the server hasn't sent a challenge yet.
    func field(for request: PreparedRequest) -> Field? {
        let cnonce = cnonce()
        let session = sessions.withLock { sessions in
            sessions[request.url.origin]?.use(for: request, username: username, password: password, cnonce: cnonce)
        }
        // Outside the lock, because it may hash a whole body.
        return session?.credentials(for: request, username: username, password: password, cnonce: cnonce)
    }

    func begin(_ session: DigestSession, for origin: RequestURL.Origin) {
        sessions.withLock { sessions in
            // Limits the memory. A forgotten challenge costs one round trip.
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
