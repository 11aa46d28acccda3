import Foundation

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

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - value: The token as it is sent.
    ///   - refreshToken: The token for requesting a new access token. Default: `nil`.
    ///   - expires: When the token expires. Default: unknown.
    public init(_ value: String, refreshToken: String? = nil, expires: Date? = nil) {
        self.value = value
        self.refreshToken = refreshToken
        self.expires = expires
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// No part of the token.
    public var description: String { "AccessToken(\(Redaction.placeholder))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// No part of the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
