// The public names that Vapor or Hummingbird share with Requests, so that a test sees which of them are ambiguous.

/// A request that a server received.
public struct Request: Sendable {
    /// The path.
    public let path: String

    /// Creates a request.
    public init(path: String) {
        self.path = path
    }
}

/// A server's response.
public struct Response: Sendable {
    /// The body.
    public let body: String

    /// Creates a response.
    public init(body: String) {
        self.body = body
    }
}

/// A server's client.
public protocol Client {}

/// A server's middleware.
public protocol Middleware {}

/// The body of a request that a server received.
public struct RequestBody {}

/// The body of a server's response.
public struct ResponseBody {}
