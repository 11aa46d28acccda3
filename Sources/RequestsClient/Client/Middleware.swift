import Requests

/// Sees the requests of a client on their way out and the responses on their way back.
///
/// ```swift
/// struct Tracing: Middleware {
///     func intercept(
///         _ request: PreparedRequest,
///         context: CallContext,
///         next: @escaping Next
///     ) async throws -> Response<ResponseBody> {
///         var request = request
///         request.header.set(
///             Field(name: "X-Trace", value: "\(context.attempt)")
///         )
///         return try await next(request)
///     }
/// }
/// ```
///
/// A member of ``Client/Configuration/middleware`` sees a request once, before redirects, retries, cookies and
/// authentication. A member of ``Client/Configuration/attemptMiddleware`` sees every attempt like the transport,
/// including credentials. The first of several is the outermost.
public protocol Middleware: Sendable {
    /// Sends a request on, off any actor.
    ///
    /// Write this name instead of the closure's type, which without `@concurrent` is another one in modules that
    /// enable `NonisolatedNonsendingByDefault`.
    typealias Next = @Sendable @concurrent (PreparedRequest) async throws -> Response<ResponseBody>

    /// Handles a request: changes it, sends it on any number of times, or creates a response itself.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The call that the request belongs to.
    ///   - next: Sends a request on.
    /// - Returns: The response of `next`, or another one.
    func intercept(
        _ request: PreparedRequest,
        context: CallContext,
        next: @escaping Next
    ) async throws -> Response<ResponseBody>
}

/// The call's context, passed to ``Middleware``.
public struct CallContext: Sendable {
    /// The client's clock. Sleep on this clock so that tests can control time.
    public let clock: any Clock<Duration>

    /// The number of the attempt, starting at 1. Every retry adds one. The request of a redirect starts at 1 again.
    public let attempt: Int

    /// The options of the call: the request's over the client's.
    public let options: CallOptions

    /// Whose credentials the request will get: `AuthenticationProvider.identity`. `nil` if that isn't known.
    package private(set) var identity: String?

    private let deadline: Deadline
    /// `nil` without a client.
    private var plan: CallPlan?
    /// What was sent, for a cache. `nil` without one.
    package private(set) var sent: SentRequest?

    init(_ plan: CallPlan, _ options: CallOptions, attempt: Int, identity: String?, sent: SentRequest?) {
        (self.plan, self.options, self.attempt) = (plan, options, attempt)
        (self.identity, self.sent) = (identity, sent)
        clock = plan.runner.configuration.clock
        deadline = plan.state.deadline
    }

    /// Creates a context, to test middleware without a client.
    ///
    /// - Parameters:
    ///   - clock: The clock. Default: the system's.
    ///   - attempt: The number of the attempt, starting at 1.
    ///   - options: The options of the call.
    ///   - total: The total timeout, which starts now. Default: no limit.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        attempt: Int = 1,
        options: CallOptions = CallOptions(),
        total: Duration? = nil
    ) {
        self.clock = clock
        self.attempt = attempt
        self.options = options
        deadline = Deadline(after: total, on: clock)
    }

    /// The time left until the total timeout. `nil` if there is no limit.
    public var remaining: Duration? { deadline.remaining }

    /// The client's current date.
    package var date: Date { plan?.runner.configuration.date() ?? Date() }

    /// Whether the client logs.
    package var isLogging: Bool { plan?.logger != nil }

    /// A fact about a server that the copies of the client share. `nil` if there is none.
    package func fact(about url: RequestURL) -> (any Sendable)? { plan?.runner.state.facts.withLock { $0[url] } }

    /// Shares a fact about a server with the copies of the client.
    package func remember(_ fact: any Sendable, about url: RequestURL) {
        plan?.runner.state.facts.withLock { facts in
            // Paths with numbers would fill the memory.
            if facts.count >= 256 { facts = [:] }
            facts[url] = fact
        }
    }

    /// Starts work that outlives the call, and is canceled with the client's calls or with the client.
    ///
    /// - Parameter end: Called at the end, also if the work was canceled before it began.
    package func background(_ work: @escaping @Sendable () async throws -> Void, end: @escaping @Sendable () -> Void) {
        Task { [background = plan?.runner.state.background ?? RunningCalls()] in
            try? await background.run { try await CallState.isolating(work) }
            end()
        }
    }

    /// Waits before a request of the call is sent again, with the delay of a policy.
    ///
    /// - Parameter retries: The number of retries so far.
    /// - Returns: Whether it may be sent again.
    package func retry(
        _ request: PreparedRequest,
        after outcome: RetryPolicy.Outcome,
        _ policy: RetryPolicy,
        retries: Int
    ) async throws -> Bool {
        guard let plan, let delay = plan.takeRetry(after: outcome, policy, to: request, retries: retries) else {
            return false
        }
        try await plan.wait(delay, after: outcome)
        return true
    }

    /// Logs an event of the call.
    public func log(_ kind: LogDestination.Event.Kind) { plan?.logger?.log(kind) }
}
