import Requests

/// One call: its request, and the settings that hold for all attempts.
struct Call: Sendable {
    var request: PreparedRequest
    var authentication: AuthenticationProvider
    let policies: CallPolicies
    let redirects: RedirectPolicy
    var retries: RetryPolicy
    let maximumBodyBytes: Int
    let deadline: CallDeadline?
    var logger: CallLogger?
    /// Whether the body is read as part of the call, so that an error in it is retried.
    var collectsBody = false
    /// The attempts of the call's earlier requests, if it consists of several.
    var attempts: AttemptHistory?
    /// Whether time was spent before the first attempt, which otherwise gets the whole total timeout.
    var hasBegun = false

    /// - Parameter hasCredentials: Whether the request has an `Authorization` field, so that it doesn't inherit the
    ///   client's authentication.
    init(
        _ request: PreparedRequest,
        _ policies: CallPolicies,
        _ authentication: AuthenticationProvider,
        hasCredentials: Bool,
        _ runner: CallRunner
    ) {
        let timeouts = request.options.timeouts.filled(from: runner.configuration.timeouts)
        self.request = request
        self.request.options.timeouts = timeouts
        deadline = timeouts.total.map { CallDeadline($0, on: runner.configuration.clock) }
        self.policies = policies
        self.authentication = authentication
        if case .inherited = authentication.scheme {
            self.authentication = hasCredentials ? .none : runner.configuration.authentication
        }
        redirects = policies.redirects ?? runner.configuration.redirects
        retries = policies.retries ?? runner.configuration.retries
        maximumBodyBytes = policies.maximumBodyBytes ?? runner.configuration.maximumBodyBytes
    }

    var isIntercepted: Bool { policies.isIntercepted ?? true }

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

extension ResponseError {
    /// Returns a status error that names the method of the call, and says why its request wasn't sent again.
    func describing(_ call: Call) -> ResponseError {
        let request = call.request
        guard code == .status, head.url == request.url else { return self }
        let isRetried = call.retries.limit > 0 && !call.retries.accepts(head)
        let reason =
            if !request.body.isReplayable {
                "its body can be sent only once"
            } else if !request.isRepeatable {
                "the server may have processed it; an Idempotency-Key makes that safe"
            } else {
                String?.none
            }
        return naming(request.method, hint: isRetried ? reason.map { "It wasn't sent again, because \($0)." } : nil)
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
