import Requests

/// Delays requests so that a server's limit isn't exceeded.
///
/// ```swift
/// client.configuration.attemptMiddleware = [
///     RateLimitMiddleware(RateLimiter(10, per: .seconds(1)))
/// ]
/// ```
///
/// As attempt middleware, it counts every retry and redirect. The total timeout limits the wait.
public final class RateLimitMiddleware: Middleware {
    private struct State {
        var limiter: RateLimiter
        /// The time since the first request.
        var stopwatch: Stopwatch?
    }

    private let state: Locked<State>

    /// Creates middleware for all requests to one server.
    public init(_ limiter: RateLimiter) { state = Locked(State(limiter: limiter)) }

    /// Waits for the request's turn and sends it on.
    public func intercept(
        _ request: PreparedRequest,
        context: CallContext,
        next: @escaping Next
    ) async throws -> Response<ResponseBody> {
        let delay = state.withLock { state in
            let stopwatch = state.stopwatch ?? context.clock.stopwatch()
            state.stopwatch = stopwatch
            return state.limiter.admit(at: stopwatch.elapsed)
        }
        if delay > .zero { try await context.clock.sleep(for: delay) }
        return try await next(request)
    }
}
