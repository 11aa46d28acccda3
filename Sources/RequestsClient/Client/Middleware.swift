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

    /// `nil` without a client.
    private var runner: CallRunner?
    private let deadline: Deadline
    private var logger: CallLogger?
    /// What was sent. `nil` but for a cache.
    package private(set) var sent: SentRequest?

    init(
        _ call: borrowing PreparedCall,
        _ options: CallOptions,
        attempt: Int,
        _ runner: CallRunner,
        identity: String? = nil,
        sent: SentRequest? = nil
    ) {
        clock = runner.configuration.clock
        self.attempt = attempt
        self.options = options
        self.identity = identity
        self.runner = runner
        deadline = call.state.deadline
        logger = call.logger
        self.sent = sent
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
        deadline = Deadline(total, on: clock)
    }

    /// The time left until the total timeout. `nil` if there is no limit.
    public var remaining: Duration? { deadline.remaining }

    /// The client's current date.
    package var date: Date { runner?.configuration.date() ?? Date() }

    /// Whether the client logs.
    package var isLogging: Bool { logger != nil }

    /// Starts work that outlives the call, and is canceled with the client's calls or with the client.
    ///
    /// - Parameter end: Called at the end, also if the work was canceled before it began.
    package func background(_ work: @escaping @Sendable () async throws -> Void, end: @escaping @Sendable () -> Void) {
        Task { [background = runner?.state.background ?? RunningCalls()] in
            try? await background.run { try await CallState.isolating(work) }
            end()
        }
    }

    /// Logs an event of the call.
    public func log(_ kind: LogDestination.Event.Kind) { logger?.log(kind) }
}
