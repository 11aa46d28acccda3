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
        let credentials = ChallengeCredentials(sessions, cnonce ?? randomNonce)
        var provider = AuthenticationProvider(flow: { ChallengeFlow(credentials: credentials) })
        provider.identity = sessions.identity
        return provider
    }

    @Sendable
    private static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next(), radix: 36) + "-" + String(generator.next(), radix: 36)
    }
}
