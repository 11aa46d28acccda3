import Foundation

/// What is known of one server's digest challenge, and how often it was answered.
///
/// Specification: RFC 7616 §3.
struct DigestSession: Sendable {
    /// From the weakest to the strongest.
    enum Algorithm: String, CaseIterable {
        case md5 = "md5"
        case sha256 = "sha-256"
        case sha512_256 = "sha-512-256"
        /// Not in RFC 7616, and known to servers such as httpbin all the same.
        case sha512 = "sha-512"

        func hash(_ text: String) -> String { hash(Array(text.utf8)) }

        func hash(_ bytes: [UInt8]) -> String {
            let digest =
                switch self {
                case .md5: MD5.hash(bytes)
                case .sha256: SHA2.sha256(bytes)
                case .sha512_256: SHA2.sha512_256(bytes)
                case .sha512: SHA2.sha512(bytes)
                }
            return digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }

    private let realm: String
    private var nonce: String
    private let opaque: String?
    private let algorithm: Algorithm
    /// The algorithm as the server wrote it; `nil` where it wrote none.
    private let algorithmName: String?
    private let isSession: Bool
    /// The qualities of protection that the server offers; empty where it knows none (RFC 2069).
    private let offersAuth: Bool
    private let offersIntegrity: Bool
    private let hashesUsername: Bool
    private var count: UInt32 = 0
    /// The hash of A1: of user name, password and the first nonces, where the algorithm is of a session (RFC 7616 §3.4.2).
    private var sessionKey: String?

    /// Reads a challenge; `nil` when it is not one of digest, or none that can be answered.
    init?(_ challenge: AuthenticationChallenge) {
        let parameters = challenge.parameters
        guard challenge.isOf(scheme: "Digest"), let realm = parameters["realm"], let nonce = parameters["nonce"] else {
            return nil
        }
        var name = ASCII.lowercased(parameters["algorithm"] ?? "md5")
        isSession = name.hasSuffix("-sess")
        if isSession { name.removeLast(5) }
        guard let algorithm = Algorithm(rawValue: name) else { return nil }
        let qualities = parameters["qop"]?.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" })
            .map { ASCII.lowercased($0) }
        offersAuth = qualities?.contains("auth") ?? false
        offersIntegrity = qualities?.contains("auth-int") ?? false
        guard qualities == nil || offersAuth || offersIntegrity else { return nil }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        algorithmName = parameters["algorithm"]
        opaque = parameters["opaque"]
        hashesUsername = parameters["userhash"].map(ASCII.lowercased) == "true"
    }

    /// The strongest of a response's challenges; of equal ones the first.
    static func strongest(in header: Header) -> (session: DigestSession, isStale: Bool)? {
        let sessions = AuthenticationChallenge.challenges(in: header).compactMap { challenge in
            DigestSession(challenge).map {
                (session: $0, isStale: challenge.parameters["stale"].map(ASCII.lowercased) == "true")
            }
        }
        return Algorithm.allCases.reversed().lazy
            .compactMap { algorithm in sessions.first { $0.session.algorithm == algorithm } }
            .first
    }

    /// Takes the nonce that is to be used from now on (RFC 7616 §3.5).
    mutating func renew(from info: String) {
        guard let next = AuthenticationChallenge.parameters(of: info)["nextnonce"], next != nonce else { return }
        nonce = next
        count = 0
    }

    /// Counts one more request.
    ///
    /// - Returns: The session as that request uses it; `nil` when the server wants a digest of a body that is not in
    ///   memory.
    mutating func use(
        for request: PreparedRequest,
        username: String,
        password: String,
        cnonce: String
    ) -> DigestSession? {
        guard offersAuth || !offersIntegrity || request.body.isNone || request.body.data != nil else { return nil }
        count += 1
        if isSession, sessionKey == nil {
            let secret = algorithm.hash("\(username):\(realm):\(password)")
            sessionKey = algorithm.hash("\(secret):\(nonce):\(cnonce)")
        }
        return self
    }

    /// The credentials for the request that was counted last.
    func credentials(
        for request: PreparedRequest,
        username: String,
        password: String,
        cnonce: String
    ) -> Field {
        let count = hexadecimal(self.count)
        let target = request.url.target
        // A session's is made once: later nonces, of the server or the client, do not change it.
        let secret = sessionKey ?? algorithm.hash("\(username):\(realm):\(password)")
        let quality: String? = offersAuth ? "auth" : offersIntegrity ? "auth-int" : nil
        let integrity = quality == "auth-int" ? ":" + algorithm.hash(Array(request.body.data ?? Data())) : ""
        let subject = algorithm.hash("\(request.method):\(target)\(integrity)")
        let proof = quality.map { "\(nonce):\(count):\(cnonce):\($0)" } ?? nonce

        var parts = usernameParts(username)
        parts.append("realm=\(realm.quotedString)")
        parts.append("uri=\(target.quotedString)")
        if let algorithmName { parts.append("algorithm=\(algorithmName)") }
        parts.append("nonce=\(nonce.quotedString)")
        if quality != nil { parts.append("nc=\(count)") }
        // The hash of a session holds the client's nonce, even where there is no quality of protection.
        if quality != nil || isSession { parts.append("cnonce=\(cnonce.quotedString)") }
        if let quality { parts.append("qop=\(quality)") }
        parts.append("response=\"\(algorithm.hash("\(secret):\(proof):\(subject)"))\"")
        if let opaque { parts.append("opaque=\(opaque.quotedString)") }
        if hashesUsername { parts.append("userhash=true") }
        return .authorization("Digest \(parts.joined(separator: ", "))")
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
