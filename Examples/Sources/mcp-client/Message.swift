import Requests

/// A JSON-RPC 2.0 message: a request, a notification (without an identifier), or a response (without a method).
struct Message: Codable, Equatable, Sendable {
    var jsonrpc = "2.0"
    var id: JSONValue?
    var method: String?
    var params: JSONValue?
    var result: JSONValue?
    var error: Failure?

    /// A JSON-RPC error.
    struct Failure: Codable, Equatable, Sendable {
        var code: Int
        var message: String
    }
}

/// The reasons why a call of a Model Context Protocol server fails.
enum MCPError: Error, Equatable {
    /// The server reported this error.
    case failed(Message.Failure)
    /// The server has ended the session. Start a new one.
    case sessionEnded
    /// The response ended without a result, and the server doesn't offer to continue it.
    case noResult(method: String)
}
