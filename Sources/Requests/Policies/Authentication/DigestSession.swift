/// A server's digest challenge and the number of requests that used it.
///
/// Specification: RFC 7616 §3.
struct DigestSession: Sendable {
    /// The algorithms, from weakest to strongest.
    enum Algorithm: String, CaseIterable {
        case md5 = "md5"
        case sha256 = "sha-256"
        case sha512_256 = "sha-512-256"
        /// Not in RFC 7616, but httpbin and other servers support it.
        case sha512 = "sha-512"

        func hash(_ text: String) -> String { hash(Array(text.utf8)) }

        func hash(_ bytes: [UInt8]) -> String {
            switch self {
            case .md5: MD5.hash(bytes).hexadecimal
            case .sha256: SHA2.sha256(bytes).hexadecimal
            case .sha512_256: SHA2.sha512_256(bytes).hexadecimal
            case .sha512: SHA2.sha512(bytes).hexadecimal
            }
        }
    }

    private let realm: String
    private var nonce: String
    private let opaque: String?
    private let algorithm: Algorithm
    /// The algorithm as the server wrote it. `nil` if it is missing.
    private let algorithmName: String?
    private let isSession: Bool
    /// Whether the server offers each quality of protection. Neither, for RFC 2069.
    private let offersAuth: Bool
    private let offersIntegrity: Bool
    private let hashesUsername: Bool
    var count: UInt32 = 0
    /// The hash of A1 with the first nonces, for a `-sess` algorithm (RFC 7616 §3.4.2).
    private var sessionKey: String?

    /// Reads a challenge. Returns `nil` if it isn't a digest challenge or isn't supported.
    init?(_ challenge: AuthenticationProvider.Challenge) {
        let parameters = challenge.parameters
        guard challenge.matches(scheme: "Digest"), let realm = parameters["realm"], let nonce = parameters["nonce"]
        else { return nil }
        var name = ASCII.lowercased(parameters["algorithm"] ?? "md5")
        isSession = name.hasSuffix("-sess")
        if isSession { name.removeLast(5) }
        guard let algorithm = Algorithm(rawValue: name) else { return nil }
        // An empty list counts as a missing one, as in curl. The server may be from before RFC 7616, which requires
        // one.
        let qualities = ASCII.lowercased(parameters["qop"] ?? "").tokens
        offersAuth = qualities.contains("auth")
        offersIntegrity = qualities.contains("auth-int")
        guard qualities.isEmpty || offersAuth || offersIntegrity else { return nil }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        algorithmName = parameters["algorithm"]
        opaque = parameters["opaque"]
        hashesUsername = parameters["userhash"].map(ASCII.lowercased) == "true"
    }

    /// Returns the strongest of some challenges, and the first of equally strong ones.
    static func strongest(
        of challenges: [AuthenticationProvider.Challenge]
    ) -> (session: DigestSession, isStale: Bool)? {
        let sessions = challenges.compactMap { challenge in
            DigestSession(challenge).map {
                (session: $0, isStale: challenge.parameters["stale"].map(ASCII.lowercased) == "true")
            }
        }
        return Algorithm.allCases.reversed().lazy
            .compactMap { algorithm in sessions.first { $0.session.algorithm == algorithm } }
            .first
    }

    /// Uses the nonce for following requests that the server announces (RFC 7616 §3.5).
    mutating func renew(from info: String) {
        var info = info.utf8[...]
        let next = info.takeParameters(separator: UInt8(ascii: ",")).lazy
            .filter { ASCII.equalsIgnoringCase($0.name, "nextnonce") }.compactMap(\.usableValue).first
        guard let next, next != nonce else { return }
        nonce = next
        count = 0
    }

    /// Counts a request.
    ///
    /// - Returns: A closure that computes the credentials. `nil` if the server requires a digest of a body that isn't
    ///   in memory, or if the nonce was used 2³² - 1 times, so that the server must send another one.
    mutating func use(
        for message: PasswordSession.Message,
        username: String,
        password: String,
        cnonce: String
    ) -> (@Sendable () -> String)? {
        guard offersAuth || !offersIntegrity || message.body.isNone || message.body.data != nil else { return nil }
        guard count < .max else { return nil }
        count += 1
        if isSession, sessionKey == nil {
            let secret = algorithm.hash("\(username):\(realm):\(password)")
            sessionKey = algorithm.hash("\(secret):\(nonce):\(cnonce)")
        }
        return { [self] in credentials(message, username, password, cnonce) }
    }

    private func credentials(
        _ message: PasswordSession.Message,
        _ username: String,
        _ password: String,
        _ cnonce: String
    ) -> String {
        let count = hexadecimal(self.count)
        let target = message.target
        // The session key doesn't change with later nonces.
        let secret = sessionKey ?? algorithm.hash("\(username):\(realm):\(password)")
        let quality: String? = offersAuth ? "auth" : offersIntegrity ? "auth-int" : nil
        let integrity = quality == "auth-int" ? ":" + algorithm.hash(Array(message.body.data ?? Data())) : ""
        let a2 = algorithm.hash("\(message.method):\(target)\(integrity)")
        let proof = quality.map { "\(nonce):\(count):\(cnonce):\($0)" } ?? nonce

        var parts = usernameParts(username)
        parts.append("realm=\(realm.quotedString)")
        parts.append("uri=\(target.quotedString)")
        if let algorithmName { parts.append("algorithm=\(algorithmName)") }
        parts.append("nonce=\(nonce.quotedString)")
        if quality != nil { parts.append("nc=\(count)") }
        // The session key contains the client's nonce even without a quality of protection.
        if quality != nil || isSession { parts.append("cnonce=\(cnonce.quotedString)") }
        if let quality { parts.append("qop=\(quality)") }
        parts.append("response=\"\(algorithm.hash("\(secret):\(proof):\(a2)"))\"")
        if let opaque { parts.append("opaque=\(opaque.quotedString)") }
        if hashesUsername { parts.append("userhash=true") }
        return "Digest \(parts.joined(separator: ", "))"
    }

    private func usernameParts(_ username: String) -> [String] {
        if hashesUsername { return ["username=\"\(algorithm.hash("\(username):\(realm)"))\""] }
        guard username.utf8.contains(where: { $0 > 126 }) else { return ["username=\(username.quotedString)"] }
        return ["username*=UTF-8''\(PercentEncoding.encoded(username, keeping: PercentEncoding.unreserved))"]
    }

    private func hexadecimal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
