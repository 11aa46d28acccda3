import Foundation
import Requests

extension TokenStore {
    /// An access token.
    public struct Token: Hashable, Codable, Sendable {
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
}

extension TokenStore.Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// No part of the token.
    public var description: String { "Token(\(Redaction.placeholder))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// No part of the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ClientError {
    static var tokenRemoved: ClientError {
        ClientError(code: .refreshFailed, message: "The token was removed while it was refreshed. Sign in again.")
    }

    static func refreshCanceled(_ error: any Error) -> ClientError {
        ClientError(
            code: .refreshFailed,
            message: "The refresh of the token was canceled twice. Send the request again.",
            underlying: error
        )
    }

    static func refreshFailed(_ error: any Error) -> ClientError {
        ClientError(
            code: .refreshFailed,
            message: "The token couldn't be refreshed (\(Redaction.reason(error))). Sign in again or try later.",
            underlying: error
        )
    }
}
