import Foundation

/// A token that proves who makes a request, and what it is renewed with.
///
/// Descriptions show neither.
public struct AccessToken: Hashable, Codable, Sendable {
    /// What is sent.
    public var value: String

    /// What a new token is asked for with; `nil` where there is none (RFC 6749 §1.5).
    public var refreshToken: String?

    /// When the token stops being accepted; `nil` where only the server knows.
    public var expires: Date?

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - value: What is sent.
    ///   - refreshToken: What a new token is asked for with; `nil` by default.
    ///   - expires: When the token stops being accepted; `nil` by default.
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
