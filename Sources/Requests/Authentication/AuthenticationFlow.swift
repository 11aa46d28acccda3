/// Proves who makes a request in more than one step: what it sends depends on what the server answered.
///
/// A flow does no exchange itself. A ``Client`` makes one for each attempt, lets it ``start(_:)``, sends the request,
/// and sends what ``next(after:)`` gives until that is done. A flow that waits for nothing is written without `async`.
public protocol AuthenticationFlow: Sendable {
    /// Puts into a request what is known before it is sent the first time.
    mutating func start(_ request: inout PreparedRequest) async throws

    /// Looks at a response, of whatever status.
    mutating func next(after head: ResponseHead) async throws -> AuthenticationStep
}

/// What an ``AuthenticationFlow`` wants next.
public enum AuthenticationStep: Sendable {
    /// Send this request, in place of the response.
    case sendAgain(PreparedRequest)
    /// The response is the answer.
    case done
}

extension AuthenticationStep {
    /// How often a request is sent in one attempt, whatever its flow wants.
    static let limit = 5
}
