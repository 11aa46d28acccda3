/// A user name and a password, and what a server or proxy has asked for.
///
/// Specification: RFC 7616, RFC 7617.
package struct PasswordSession: Sendable {
    /// The one that asks for credentials (RFC 9110 §11.6, §11.7).
    package struct Challenger: Sendable {
        let statusCode: Int
        let challenge, credentials, info: Field.Name

        package static let server = Challenger(
            statusCode: 401,
            challenge: .wwwAuthenticate,
            credentials: .authorization,
            info: "Authentication-Info"
        )
        package static let proxy = Challenger(
            statusCode: 407,
            challenge: "Proxy-Authenticate",
            credentials: .proxyAuthorization,
            info: "Proxy-Authentication-Info"
        )
    }

    /// What credentials can protect.
    package struct Message: Sendable {
        let method: HTTPMethod
        /// The target in the request line (RFC 9112 §3.2).
        let target: String
        let body: RequestBody

        package init(_ method: HTTPMethod, _ target: String, _ body: RequestBody) {
            (self.method, self.target, self.body) = (method, target, body)
        }

        package init(_ request: PreparedRequest) { self.init(request.method, request.url.target, request.body) }
    }

    private enum State {
        case unchallenged
        case basic
        case digest(DigestSession)
    }

    let username: String
    let password: String
    private let allowsBasic: Bool
    private let challenger: Challenger
    private var state = State.unchallenged

    package init(username: String, password: String, allowsBasic: Bool, challenger: Challenger) {
        (self.username, self.password) = (username, password)
        (self.allowsBasic, self.challenger) = (allowsBasic, challenger)
    }

    package var isBasic: Bool { if case .basic = state { true } else { false } }

    /// Counts a message.
    ///
    /// - Returns: A closure that computes the credentials, apart because it may hash a whole body. `nil` if the
    ///   challenger must send a challenge first.
    package mutating func use(for message: Message, cnonce: String) -> (@Sendable () throws -> Field)? {
        let (username, password, name) = (username, password, challenger.credentials)
        switch state {
        case .unchallenged: return nil
        case .basic:
            return {
                let field = try AuthenticationProvider.basicField(username: username, password: password)
                return Field(name: name, value: field.value)
            }
        case .digest(var session):
            defer { state = .digest(session) }
            guard
                let credentials = session.use(for: message, username: username, password: password, cnonce: cnonce)
            else { return nil }
            return { Field(name: name, value: credentials()) }
        }
    }

    /// Decides what a response means.
    ///
    /// - Parameter hasAnswered: Whether the message contained an answer to an earlier challenge.
    /// - Returns: Whether the response asks for credentials, so that the message can be sent again.
    package mutating func begin(after statusCode: Int, _ header: Header, hasAnswered: Bool) -> Bool {
        guard statusCode == challenger.statusCode else {
            if let info = header[challenger.info], case .digest(var session) = state {
                session.renew(from: info)
                state = .digest(session)
            }
            return false
        }
        guard let (next, isStale) = state(after: header) else { return false }
        // A second challenge means that the credentials are wrong, unless only the nonce was stale.
        let begins = !hasAnswered || isStale
        state = begins ? next : .unchallenged
        return begins
    }

    /// Returns the state after the strongest challenge, and whether only a nonce was stale. `nil` if none is supported.
    private func state(after header: Header) -> (State, isStale: Bool)? {
        let challenges = AuthenticationProvider.Challenge.challenges(in: header, name: challenger.challenge)
        if let (session, isStale) = DigestSession.strongest(of: challenges) { return (.digest(session), isStale) }
        guard allowsBasic, challenges.contains(where: { $0.matches(scheme: "Basic") }) else { return nil }
        return (.basic, false)
    }

    /// Returns a nonce of the client with 128 random bits.
    package static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next(), radix: 36) + "-" + String(generator.next(), radix: 36)
    }
}

/// A user name and a password, with the sessions that servers began.
package struct PasswordSessions: Sendable {
    private let unchallenged: PasswordSession
    private var sessions: [RequestURL.Origin: PasswordSession] = [:]

    package init(username: String, password: String, allowsBasic: Bool = false) {
        unchallenged = PasswordSession(
            username: username,
            password: password,
            allowsBasic: allowsBasic,
            challenger: .server
        )
    }

    package var username: String { unchallenged.username }
    package var password: String { unchallenged.password }

    /// As ``PasswordSession/use(for:cnonce:)``, for the request's origin.
    package mutating func use(for request: PreparedRequest, cnonce: String) -> (@Sendable () throws -> Field)? {
        sessions[request.url.origin]?.use(for: .init(request), cnonce: cnonce)
    }

    /// As ``PasswordSession/begin(after:_:hasAnswered:)``, for an origin.
    package mutating func begin(after head: ResponseHead, from origin: RequestURL.Origin, hasAnswered: Bool) -> Bool {
        var session = sessions[origin] ?? unchallenged
        let begins = session.begin(after: head.statusCode, head.header, hasAnswered: hasAnswered)
        // Limits the memory. A forgotten challenge costs one round trip.
        if begins, sessions.count >= 100, sessions[origin] == nil { sessions.removeAll() }
        if begins || sessions[origin] != nil { sessions[origin] = session }
        return begins
    }

    package mutating func forget(_ origin: RequestURL.Origin) { sessions[origin] = nil }
}
