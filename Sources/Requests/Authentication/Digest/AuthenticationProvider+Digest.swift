extension AuthenticationProvider {
    /// A user name and a password, neither of them sent: a digest proves that they are known.
    ///
    /// The strongest challenge is answered: SHA-512, then SHA-512-256, SHA-256 and MD5, each with `-sess`; `auth`,
    /// and `auth-int` where nothing else is offered and the body is in memory. A server that was answered once is sent
    /// credentials at once from then on: keep the provider. They go to the server that asked for them and to no other.
    ///
    /// - Parameters:
    ///   - username: The user name; sent as a hash where the server wants that.
    ///   - password: The password.
    ///   - cnonce: Makes the client's nonces; `nil`, the default, for 128 random bits.
    ///
    /// Specification: RFC 7616.
    public static func digest(
        username: String,
        password: String,
        cnonce: (@Sendable () -> String)? = nil
    ) -> AuthenticationProvider {
        let credentials = DigestCredentials(username: username, password: password, cnonce: cnonce ?? randomNonce)
        return AuthenticationProvider(flow: { DigestFlow(credentials) })
    }

    @Sendable
    private static func randomNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next(), radix: 36) + "-" + String(generator.next(), radix: 36)
    }
}
