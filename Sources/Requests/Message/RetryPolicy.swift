/// Which requests a client sends again, how often, and when.
///
/// A request is sent again when doing so cannot do a thing twice: its method is idempotent, it has an
/// `Idempotency-Key`, or the error says that the server cannot have acted on it. Its body must be one that can be sent
/// again. Sent again are requests that were answered with one of ``statuses``, or failed with one of ``codes``; never
/// one that was cancelled. When no attempt is left, the caller gets what the last one gave.
///
/// Policies are equal when their numbers are, and their condition and what reads their waits are the same ones.
///
/// Specification: RFC 9110 §9.2.2, §10.2.3.
public struct RetryPolicy: Hashable, Sendable {
    /// What an attempt gave.
    public enum Outcome: Sendable {
        /// A response, with whatever status.
        case response(ResponseHead)
        /// No response.
        case failure(any Error)
    }

    enum Backoff: Hashable {
        case fixed(Duration)
        case exponential(initial: Duration, maximum: Duration)
    }

    /// How often a request is sent again after the first time.
    public let limit: Int

    let backoff: Backoff

    /// The statuses that are tried again: 408, 429, 500, 502, 503 and 504 by default.
    public var statuses: Set<Int> = RetryPolicy.transientStatuses

    /// The errors that are tried again: by default those of a connection, and the connect and the idle timeout.
    public var codes: Set<TransportError.Code> = RetryPolicy.transientCodes

    /// The longest `Retry-After`, or other wait that a response asks for, that is waited for; a minute by default. What is
    /// to be tried later than that is delivered: trying sooner would be against the server's word.
    public var maximumRetryAfter: Duration = .seconds(60)

    var condition: Identified<@Sendable (Outcome, PreparedRequest) -> Bool>?

    /// Reads how long to wait where there is no `Retry-After`.
    var statedWait: Identified<@Sendable (ResponseHead) -> Duration?>?

    private init(limit: Int, backoff: Backoff) {
        self.limit = limit
        self.backoff = backoff
    }

    /// Sends each request once. The default of a client.
    public static let never = RetryPolicy(limit: 0, backoff: .fixed(.zero))

    /// Waits a random time, whose limit doubles with each retry ("full jitter").
    ///
    /// - Parameters:
    ///   - limit: How often a request is sent again; 3 by default.
    ///   - initial: The longest wait before the first retry; half a second by default.
    ///   - maximum: The longest wait before any; 20 seconds by default.
    public static func exponential(
        limit: Int = 3,
        initial: Duration = .milliseconds(500),
        maximum: Duration = .seconds(20)
    ) -> RetryPolicy {
        RetryPolicy(limit: limit, backoff: .exponential(initial: initial, maximum: maximum))
    }

    /// Waits the same time before each retry.
    ///
    /// - Parameters:
    ///   - delay: The wait.
    ///   - limit: How often a request is sent again; 3 by default.
    public static func fixed(_ delay: Duration, limit: Int = 3) -> RetryPolicy {
        RetryPolicy(limit: limit, backoff: .fixed(delay))
    }

    /// Returns the policy with a condition in place of its rules for methods, statuses and errors.
    ///
    /// The limit, the rule for bodies, and the one for cancelled requests stay.
    ///
    /// - Parameter condition: Gets what an attempt gave, and its request.
    public func retrying(where condition: @escaping @Sendable (Outcome, PreparedRequest) -> Bool) -> RetryPolicy {
        var copy = self
        copy.condition = Identified(condition)
        return copy
    }

    /// Returns the policy with waits that responses ask for in a way of their own, such as in a field for the end of a rate
    /// limit.
    ///
    /// A `Retry-After` comes first. What is to be tried later than ``maximumRetryAfter`` is delivered. Read a number of
    /// seconds as an `Int`: a `Double` of a server's can be one that a `Duration` cannot hold, which ends the process.
    ///
    /// - Parameter wait: Gets the head of a response that is to be tried again, and says how long to wait; `nil` leaves it
    ///   to the policy.
    public func retrying(after wait: @escaping @Sendable (ResponseHead) -> Duration?) -> RetryPolicy {
        var copy = self
        copy.statedWait = Identified(wait)
        return copy
    }

    private static let transientStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    private static let transientCodes: Set<TransportError.Code> = [
        .nameNotResolved, .cannotConnect, .timedOut(.connect), .timedOut(.idle), .closed, .truncated,
    ]
}
