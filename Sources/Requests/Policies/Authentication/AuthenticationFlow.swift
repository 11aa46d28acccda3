/// One authentication of a request, which may take several round trips.
///
/// A flow doesn't send anything. A client creates one for each attempt, calls ``start(_:)``, sends the request, and
/// sends the requests that ``next(after:)`` returns until it is done. A test can call both methods by hand.
public protocol AuthenticationFlow: Sendable {
    /// The next step of a flow.
    typealias Step = AuthenticationProvider.Step

    /// Adds the credentials that are known before the request is sent.
    mutating func start(_ request: inout PreparedRequest) async throws

    /// Decides what follows a response with any status. The default is ``AuthenticationProvider/Step/done``.
    mutating func next(after head: ResponseHead) async throws -> Step
}

extension AuthenticationFlow {
    /// Accepts every response.
    public func next(after head: ResponseHead) async throws -> Step { .done }
}

extension AuthenticationProvider {
    /// The next step of an ``AuthenticationFlow``.
    public enum Step: Sendable {
        /// Send this request and drop the response.
        case sendAgain(PreparedRequest)
        /// Return the response.
        case done
    }
}

/// A flow for all attempts of a call, because it remembers what it has tried. Each attempt starts it.
package protocol CallFlow: AuthenticationFlow {}

/// A flow that can also authenticate a request without a client, such as a signature.
package protocol OfflineFlow: AuthenticationFlow {
    /// Adds the credentials on the calling thread.
    func authenticate(_ request: inout PreparedRequest) throws
}

/// A flow that changes the request and accepts every response.
struct OneStepFlow: AuthenticationFlow {
    let authenticate: @Sendable (inout PreparedRequest) async throws -> Void

    func start(_ request: inout PreparedRequest) async throws { try await authenticate(&request) }
}

/// Several flows for one request.
struct CombinedFlow: OfflineFlow, CallFlow {
    /// Run before the flows, so that a signature covers what they add.
    let immediate: @Sendable (inout PreparedRequest) throws -> Void
    var flows: [any AuthenticationFlow]

    func authenticate(_ request: inout PreparedRequest) throws {
        try immediate(&request)
        for flow in flows { try AuthenticationProvider { flow }.apply(to: &request) }
    }

    mutating func start(_ request: inout PreparedRequest) async throws {
        try immediate(&request)
        for index in flows.indices { try await flows[index].start(&request) }
    }

    mutating func next(after head: ResponseHead) async throws -> Step {
        for index in flows.indices {
            guard case .sendAgain(var request) = try await flows[index].next(after: head) else { continue }
            // The request may be the one that this flow started with, before the others changed it.
            try immediate(&request)
            for other in flows.indices where other != index { try await flows[other].start(&request) }
            return .sendAgain(request)
        }
        return .done
    }
}
