/// Spreads requests over time, so that a server's limit isn't exceeded.
///
/// A pure value that measures time from a moment of your choice:
///
/// ```swift
/// var limiter = RateLimiter(10, per: .seconds(1))
/// let wait = limiter.admit(at: .zero)
/// ```
///
/// A client shares one among its requests with `RateLimitMiddleware`.
///
/// Uses the generic cell rate algorithm, which is a leaky bucket with one number as its state.
public struct RateLimiter: Hashable, Sendable {
    private let interval: Duration
    private let tolerance: Duration
    /// When the next request is due if requests are spaced evenly.
    private var due: Duration?

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - count: The number of requests in a period, at least 1.
    ///   - period: The length of the period.
    ///   - burst: The number of requests that may follow each other immediately after a pause. Default: `count`.
    public init(_ count: Int, per period: Duration, burst: Int? = nil) {
        interval = min(max(period, .zero), Timeouts.unlimited) / max(count, 1)
        tolerance = interval * (min(max(burst ?? count, 1), 1 << 20) - 1)
    }

    /// Admits a request.
    ///
    /// The request takes its place in the sequence even if it isn't sent after all.
    ///
    /// - Parameter now: The time since any fixed moment.
    /// - Returns: How long to wait before the request is sent. Zero if it can be sent immediately.
    public mutating func admit(at now: Duration) -> Duration {
        let next = max(due ?? now, now)
        due = next + interval
        return max(.zero, next - tolerance - now)
    }
}
