/// An access token with its refresh token and expiry.
///
/// Descriptions and dumps show no part of it.
public struct AccessToken: Hashable, Codable, Sendable {
    /// The token as it is sent.
    public var value: String

    /// The token for requesting a new access token. `nil` if there is none.
    public var refreshToken: String?

    /// When the token expires. `nil` if unknown.
    public var expires: Date?

    /// The granted scope. `nil` if unknown.
    public var scope: [String]?

    /// The identity token of OpenID Connect, as it was sent. Its signature isn't checked. `nil` if there is none.
    public var idToken: String?

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - value: The token as it is sent.
    ///   - refreshToken: The token for requesting a new access token. Default: `nil`.
    ///   - expires: When the token expires. Default: unknown.
    ///   - scope: The granted scope. Default: unknown.
    ///   - idToken: The identity token. Default: `nil`.
    public init(
        _ value: String,
        refreshToken: String? = nil,
        expires: Date? = nil,
        scope: [String]? = nil,
        idToken: String? = nil
    ) {
        self.value = value
        self.refreshToken = refreshToken
        self.expires = expires
        self.scope = scope
        self.idToken = idToken
    }
}

extension AccessToken: Redacted {
    /// No part of the token.
    public var description: String { "AccessToken(\(Redaction.placeholder))" }
}
