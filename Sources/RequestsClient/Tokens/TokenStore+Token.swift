import Requests

extension TokenStore {
    /// An access token.
    public typealias Token = AccessToken
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
            message: "The token couldn't be refreshed, sign in again or try later: \(Redaction.reason(error))",
            underlying: error
        )
    }
}
