/// Decides which requests a client sends again, how often, and when.
///
/// A request is retried after a response with one of ``statuses`` or an error with one of ``codes``, but only if
/// repeating it is safe: its method is idempotent, it has an `Idempotency-Key`, or the error proves that the server
/// didn't process it, as one of ``unprocessedStatuses`` does. A request is never retried if its body can be read only
/// once or it was canceled. If no attempt is left, the caller gets the last result.
///
/// Policies are equal if their settings are equal and they share the same closures.
///
/// Specification: RFC 9110 §9.2.2, §10.2.3.
public struct RetryPolicy: Hashable, Sendable {
    /// The result of an attempt.
    public enum Outcome: Sendable {
        /// A response with any status.
        case response(ResponseHead)
        /// An error.
        case failure(any Error)
    }

    enum Backoff: Hashable {
        case fixed(Duration)
        case exponential(initial: Duration, maximum: Duration)
    }

    /// The maximum number of retries.
    public let limit: Int

    let backoff: Backoff

    /// The statuses that are retried. Default: 408, 429, 500, 502, 503 and 504.
    public var statuses: Set<Int> = RetryPolicy.transientStatuses

    /// The statuses that prove that the server did nothing, so any method is retried. Default: none.
    public var unprocessedStatuses: Set<Int> = []

    /// The errors that are retried. Default: connection errors, and the connect, idle and attempt timeouts.
    public var codes: Set<TransportError.Code> = RetryPolicy.transientCodes

    /// The maximum wait for `Retry-After`. Default: 60 seconds.
    ///
    /// If the server asks for a longer wait, the caller gets the response instead.
    public var maximumRetryAfter: Duration = .seconds(60)

    var condition: Identified<@Sendable (Outcome, PreparedRequest) -> Bool>?

    /// Reads the server's delay if there is no `Retry-After`.
    var serverDelay: Identified<@Sendable (ResponseHead) -> Duration?>?

    private init(limit: Int, backoff: Backoff) {
        self.limit = limit
        self.backoff = backoff
    }

    /// Never retries. This is a client's default.
    public static let never = RetryPolicy(limit: 0, backoff: .fixed(.zero))

    /// Waits a random time up to a limit that doubles with each retry ("full jitter").
    ///
    /// - Parameters:
    ///   - limit: The maximum number of retries. Default: 3.
    ///   - initial: The maximum wait before the first retry. Default: 500 milliseconds.
    ///   - maximum: The maximum wait before any retry. Default: 20 seconds.
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
    ///   - limit: The maximum number of retries. Default: 3.
    public static func fixed(_ delay: Duration, limit: Int = 3) -> RetryPolicy {
        RetryPolicy(limit: limit, backoff: .fixed(delay))
    }

    /// Returns the policy with a condition that replaces the rules for methods, statuses and errors.
    ///
    /// The limit and the rules for bodies and canceled requests still apply.
    ///
    /// - Parameter condition: Returns whether to retry, given the result of an attempt and its request.
    public func retrying(where condition: @escaping @Sendable (Outcome, PreparedRequest) -> Bool) -> RetryPolicy {
        var copy = self
        copy.condition = Identified(condition)
        return copy
    }

    /// Returns the policy with a closure that reads the wait from a response, for example from a rate-limit field.
    ///
    /// `Retry-After` takes precedence, and ``maximumRetryAfter`` applies. Read seconds as an `Int`, because a large
    /// `Double` from a server can trap when it becomes a `Duration`.
    ///
    /// - Parameter wait: Returns the delay that a response asks for. `nil` leaves it to the policy.
    public func retrying(after wait: @escaping @Sendable (ResponseHead) -> Duration?) -> RetryPolicy {
        var copy = self
        copy.serverDelay = Identified(wait)
        return copy
    }

    /// The settings in one line. Closures are shown by their identity, by which they are compared.
    package var summary: String {
        let parts = [
            "limit \(limit)", "\(backoff)", "statuses \(statuses.sorted())", "codes \(codes.map(\.rawValue).sorted())",
            "unprocessedStatuses \(unprocessedStatuses.sorted())", "maximumRetryAfter \(maximumRetryAfter)",
            condition.map { "condition \(ObjectIdentifier($0))" }, serverDelay.map { "delay \(ObjectIdentifier($0))" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private static let transientStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    private static let transientCodes: Set<TransportError.Code> = [
        .nameNotResolved, .cannotConnect, .timedOut(.connect), .timedOut(.idle), .timedOut(.attempt), .closed,
        .truncated,
    ]
}
