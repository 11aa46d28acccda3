import Requests

/// The settings that hold for all attempts of one call.
struct Call: Sendable {
    var authentication: AuthenticationProvider
    let policies: CallPolicies
    let redirects: RedirectPolicy
    let retries: RetryPolicy
    let maximumBodyBytes: Int
    let deadline: CallDeadline?
    let logger: CallLogger?
    /// Whether the body is read as part of the call, so that an error in it is retried.
    let collectsBody: Bool
    /// The attempts of the call's earlier requests, if it consists of several.
    let attempts: AttemptHistory?
    /// Whether time was spent before the first attempt, which otherwise gets the whole total timeout.
    var hasBegun: Bool

    init(
        _ outgoing: Outgoing,
        _ configuration: Client.Configuration,
        logger: CallLogger?,
        collectsBody: Bool,
        deadline: CallDeadline? = nil,
        attempts: AttemptHistory? = nil
    ) {
        authentication = outgoing.authentication
        policies = outgoing.policies
        redirects = policies.redirects ?? configuration.redirects
        retries = policies.retries ?? configuration.retries
        maximumBodyBytes = policies.maximumBodyBytes ?? configuration.maximumBodyBytes
        self.deadline =
            deadline ?? outgoing.request.options.timeouts.total.map { CallDeadline($0, on: configuration.clock) }
        self.logger = logger
        self.collectsBody = collectsBody
        self.attempts = attempts
        hasBegun = deadline != nil
    }

    var isIntercepted: Bool { policies.interception != .off }

    /// Sets the request's total timeout to the time that is left.
    func limit(_ request: inout PreparedRequest) throws(TransportError) {
        try deadline?.limit(&request)
    }
}

/// The attempts of a call that consists of several requests, which share one limit of retries.
final class AttemptHistory: Sendable {
    struct Value {
        var retries = 0
        /// Whether the server may have acted on an attempt.
        var mayHaveBeenProcessed = false
    }

    private let state = Locked(Value())

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension Error {
    /// Returns the error for a call in which the server may have acted on an earlier attempt.
    func followingProcessedAttempt() -> any Error {
        guard var error = self as? TransportError else { return self }
        error.requestMayHaveBeenProcessed = true
        return error
    }
}
