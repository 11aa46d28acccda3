import Requests

/// What is decided when a call begins: its request, and everything that says how it is sent. A request that middleware
/// has changed gets another plan.
final class CallPlan: Sendable {
    let runner: CallRunner
    let state: CallState
    /// The request without credentials.
    let request: PreparedRequest
    let policies: Policies
    let goal: Goal
    let logger: CallLogger?
    /// Receives the progress of the request's body.
    let progress: ProgressReporter?
    /// Call middleware inside the client's, which this call adds.
    let innermost: (any Middleware)?
    /// Whether the client's credentials are added.
    private let isInheriting: Bool

    /// Builds everything but the authentication. Borrows the input, which is large to copy.
    init(
        _ input: borrowing some PreparableRequest,
        _ runner: CallRunner,
        goal: Goal = .body,
        progress: Progress? = nil,
        through innermost: (any Middleware)? = nil
    ) throws {
        var request = try input.unauthenticated(defaults: runner.configuration.header)
        let options = runner.complete(&request)
        state = CallState(Deadline(after: request.options.timeouts.total, on: runner.configuration.clock))
        if options.isIdempotent == true { request.addIdempotencyKey(state.key(or: runner.configuration.token)) }
        let own = input.authenticationProvider
        isInheriting = own.isInheriting && !request.isAuthenticated
        let shared = try runner.policies(authenticating: isInheriting ? request.url : nil)
        policies =
            own.isInherited && options.isIdentical(to: runner.configuration.options)
            ? shared : Policies(options, own.inheriting(shared.authentication))
        (self.request, self.runner, self.goal, self.innermost) = (request, runner, goal, innermost)
        self.progress = progress.map { ProgressReporter($0, runner.configuration) }
        logger = runner.makeLogger(request, request.description, options.unredactedNames)
    }

    private init(_ plan: CallPlan, _ request: PreparedRequest, _ policies: Policies, _ goal: Goal) {
        (self.request, self.policies, self.goal) = (request, policies, goal)
        (runner, state, logger, progress) = (plan.runner, plan.state, plan.logger, plan.progress)
        (innermost, isInheriting) = (plan.innermost, plan.isInheriting)
    }

    /// Returns the plan with another goal.
    func aiming(at goal: Goal) -> CallPlan { CallPlan(self, request, policies, goal) }

    /// Returns the plan for a request that middleware has passed on, which is validated.
    ///
    /// The request's options count, except for the total timeout, which belongs to the call. Credentials stay at their
    /// origin, and an `Authorization` field that middleware has set is the request's own.
    func passing(_ changed: PreparedRequest) throws -> CallPlan {
        if changed.isIdentical(to: request) { return self }
        var (next, options, authentication) = (changed, policies.options, policies.authentication)
        if next.options != request.options {
            next.options.timeouts.total = request.options.timeouts.total
            options = runner.complete(&next)
        }
        if next.options.isIdempotent ?? options.isIdempotent ?? false {
            next.addIdempotencyKey(state.key(or: runner.configuration.token))
        }
        let authorization = next.header[.authorization]
        let hasOwnCredentials =
            next.isAuthenticated && !request.isAuthenticated
            || authorization != nil && authorization != request.header[.authorization]
        if isInheriting && hasOwnCredentials || !next.hasOrigin(of: request) {
            let url = isInheriting && !hasOwnCredentials ? next.url : nil
            authentication = try runner.policies(authenticating: url).authentication
        }
        try next.validate()
        return CallPlan(self, next, Policies(options, authentication), goal)
    }

    /// The context of a layer of middleware or of the cache.
    ///
    /// - Parameter request: The request, whose options a layer outside may have changed.
    func context(
        for request: PreparedRequest,
        attempt: Int,
        identity: String? = nil,
        sent: SentRequest? = nil
    ) -> CallContext {
        let isUnchanged = request.options == self.request.options
        let options = isUnchanged ? policies.options : request.options.merging(runner.configuration.options)
        return CallContext(self, options, attempt: attempt, identity: identity, sent: sent)
    }

    /// The middleware around the call.
    var middleware: [any Middleware] {
        let shared = policies.isIntercepted ? runner.configuration.middleware : []
        return innermost.map { shared + [$0] } ?? shared
    }

    /// Whether no middleware is between an attempt and the transport.
    var skipsMiddleware: Bool { runner.configuration.attemptMiddleware.isEmpty || !policies.isIntercepted }

    /// Whether code of others, which doesn't look at the deadline, can run for the call. A transport limits itself.
    var runsCodeOfOthers: Bool {
        if case .flow = policies.authentication.scheme { return true }
        if let cache = runner.configuration.cache, state.deadline.total != nil || !(cache is any EndsWithCall) {
            return true
        }
        return !skipsMiddleware || innermost != nil
            || policies.isIntercepted && !runner.configuration.middleware.isEmpty
    }
}

/// A client's or a call's options with the defaults filled in, and the authentication. Calls share the
/// client's, unless their requests set options.
final class Policies: Sendable {
    /// The request's options over the client's.
    let options: CallOptions
    /// The authentication of each attempt, until a redirect leads to another origin. `inherited` means none.
    let authentication: AuthenticationProvider
    let redirects: RedirectPolicy
    let retries: RetryPolicy
    /// The maximum size of a body in memory, in bytes.
    let maximumBodyBytes: Int
    let isIntercepted: Bool
    let usesCookies: Bool

    init(_ options: CallOptions, _ authentication: AuthenticationProvider) {
        (self.options, self.authentication) = (options, authentication)
        redirects = options.redirects ?? .follow()
        retries = options.retries ?? .never
        maximumBodyBytes = options.maximumBodyBytes ?? CallOptions.defaultMaximumBodyBytes
        isIntercepted = options.isIntercepted ?? true
        usesCookies = options.usesCookies ?? true
    }
}

// MARK: Repeating a request

extension CallPlan {
    /// Takes a retry from the budget, and returns the delay before it. `nil` if the policy, the body, the time that is
    /// left or the budget allow none.
    func takeRetry(
        after outcome: RetryPolicy.Outcome,
        _ policy: RetryPolicy,
        to request: PreparedRequest,
        retries: Int
    ) -> Duration? {
        let configuration = runner.configuration
        let step = policy.step(
            after: outcome,
            to: request,
            retries: retries,
            date: configuration.date,
            random: configuration.random
        )
        // If the request would be sent too late, the current result is better than a timeout. The budget comes last,
        // because asking takes from it.
        guard case .retry(let delay) = step, request.body.isReplayable,
            state.deadline.remaining.map({ delay < $0 }) ?? true, configuration.retryBudget?.takeRetry() ?? true
        else { return nil }
        return delay
    }

    /// Waits before a request is sent again, and logs why.
    ///
    /// - Parameter outcome: The outcome that is retried. `nil` if nothing has failed, and nothing is logged.
    func wait(_ delay: Duration, after outcome: RetryPolicy.Outcome?) async throws {
        if let outcome { logger?.retries(after: delay, outcome) }
        let clock = runner.configuration.clock
        try await CallState.isolating { try await clock.sleep(for: min(delay, Timeouts.unlimited)) }
    }
}

extension PreparedRequest {
    /// Adds a generated `Idempotency-Key` unless there is one, so that any attempt may be repeated.
    mutating func addIdempotencyKey(_ key: @autoclosure () -> String) {
        guard !header.contains(.idempotencyKey) else { return }
        header.set(Field(name: .idempotencyKey, value: key()))
    }
}

extension ResponseError {
    /// Returns a status error that names the method of the call, and says why its request wasn't sent again.
    func describing(_ plan: CallPlan) -> ResponseError {
        let request = plan.request
        guard code == .status, head.url == request.url else { return self }
        let isRetried = plan.policies.retries.retriesIfSafe(head)
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
