import Requests

/// The secret of a login, which proves that the app that started the login also finishes it.
///
/// ```swift
/// var generator = SystemRandomNumberGenerator()
/// let pkce = PKCE(using: &generator)
/// let page = try server.authorizationURL(
///     redirectURI: "app:/done",
///     state: "random",
///     pkce: pkce
/// )
/// ```
///
/// Specification: RFC 7636.
public struct PKCE: Hashable, Sendable {
    /// The secret, which is sent only to the token endpoint.
    public let verifier: String

    /// Creates a secret of 256 random bits.
    public init(using generator: inout some RandomNumberGenerator) {
        verifier = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.base64URL
    }

    /// Recreates a value from a stored secret.
    ///
    /// - Returns: `nil` if the secret isn't 43 to 128 unreserved characters (RFC 7636 §4.1).
    public init?(verifier: String) {
        guard (43...128).contains(verifier.utf8.count), PercentEncoding.unreserved.containsAll(of: verifier) else {
            return nil
        }
        self.verifier = verifier
    }

    /// The SHA-256 of the secret in Base64 for URLs, which is sent to the login page (method `S256`).
    public var challenge: String { SHA2.sha256(verifier.utf8).base64URL }
}

extension PKCE: Redacted {
    /// The challenge, without the secret.
    public var description: String { "PKCE(challenge: \(challenge))" }
}
