import Requests

/// An access key for Amazon Web Services and compatible services.
///
/// Descriptions and dumps show only the identifier, never the secret or the token.
public struct AWSCredentials: Hashable, Sendable {
    /// The identifier of the key, which is sent with each request.
    public var accessKeyID: String

    /// The secret, which signs requests and is never sent.
    public var secretAccessKey: String

    /// The session token of temporary credentials. `nil` for permanent credentials.
    public var sessionToken: String?

    /// Creates permanent credentials or, with a session token, temporary ones.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }
}

extension AWSCredentials: Redacted {
    /// The identifier, without secrets.
    public var description: String { "AWSCredentials(\(accessKeyID))" }
}
