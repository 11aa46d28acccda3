/// A user name and a password, with the sessions that the challenges of servers began.
///
/// Specification: RFC 7616, RFC 7617.
package struct PasswordSessions: Sendable {
    private enum Session {
        case digest(DigestSession)
        case basic
    }

    private let username: String
    private let password: String
    private let allowsBasic: Bool
    private var sessions: [RequestURL.Origin: Session] = [:]

    package init(username: String, password: String, allowsBasic: Bool = false) {
        (self.username, self.password, self.allowsBasic) = (username, password, allowsBasic)
    }

    /// A digest of the user name and the password, because a wrong password must not find what the right one did.
    package var identity: String { SHA2.sha256(Array("\(username):\(password)".utf8)).hexadecimal }

    /// Counts a request.
    ///
    /// - Returns: A closure that computes the credentials, apart because it may hash a whole body. `nil` if the server
    ///   must send a challenge first.
    package mutating func use(for request: PreparedRequest, cnonce: String) -> (@Sendable () throws -> Field)? {
        let (origin, username, password) = (request.url.origin, username, password)
        switch sessions[origin] {
        case nil: return nil
        case .basic: return { try AuthenticationProvider.basicField(username: username, password: password) }
        case .digest(var session):
            defer { sessions[origin] = .digest(session) }
            return session.use(for: request, username: username, password: password, cnonce: cnonce)
        }
    }

    /// Decides what a response means.
    ///
    /// - Parameter hasAnswered: Whether the request contained an answer to an earlier challenge.
    /// - Returns: Whether the response began a session, so that the request can be sent again.
    package mutating func begin(after head: ResponseHead, from origin: RequestURL.Origin, hasAnswered: Bool) -> Bool {
        guard head.statusCode == 401 else {
            if let info = head.header["Authentication-Info"], case .digest(var session) = sessions[origin] {
                session.renew(from: info)
                sessions[origin] = .digest(session)
            }
            return false
        }
        guard let (session, isStale) = session(for: head) else { return false }
        // A second challenge means that the credentials are wrong, unless only the nonce was stale.
        guard !hasAnswered || isStale else {
            forget(origin)
            return false
        }
        // Limits the memory. A forgotten challenge costs one round trip.
        if sessions.count >= 100, sessions[origin] == nil { sessions.removeAll() }
        sessions[origin] = session
        return true
    }

    package mutating func forget(_ origin: RequestURL.Origin) {
        sessions[origin] = nil
    }

    /// Returns the session that begins with a response's strongest challenge, and whether only a nonce was stale.
    private func session(for head: ResponseHead) -> (Session, isStale: Bool)? {
        if let (session, isStale) = DigestSession.strongest(in: head.header) { return (.digest(session), isStale) }
        let challenges = AuthenticationProvider.Challenge.challenges(in: head.header)
        guard allowsBasic, challenges.contains(where: { $0.matches(scheme: "Basic") }) else { return nil }
        return (.basic, false)
    }
}
