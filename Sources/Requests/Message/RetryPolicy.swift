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
    public var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]

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

    /// The errors of connections, after which the server may be reached later.
    package static let transientCodes: Set<TransportError.Code> = [
        .nameNotResolved, .cannotConnect, .timedOut(.connect), .timedOut(.idle), .timedOut(.attempt), .closed,
        .truncated,
    ]
}

extension RetryPolicy {
    /// The step after an attempt.
    package enum Step: Hashable, Sendable {
        /// Send the request again after a wait.
        case retry(after: Duration)
        /// Return the result of the attempt to the caller.
        case giveUp
    }

    /// Decides what follows an attempt.
    ///
    /// - Parameters:
    ///   - outcome: The result of the attempt.
    ///   - request: The request.
    ///   - retries: The number of retries so far.
    ///   - date: Returns the current date, for `Retry-After`.
    ///   - random: Returns a random number from 0 to 1, for the jitter.
    package func step(
        after outcome: Outcome,
        to request: PreparedRequest,
        retries: Int,
        date: () -> Date,
        random: () -> Double
    ) -> Step {
        guard retries < limit, !outcome.isCancellation, shouldRetry(outcome, request), request.body.isReplayable else {
            return .giveUp
        }
        guard case .response(let head) = outcome, let delay = serverDelay(in: head, now: date) else {
            return .retry(after: delay(retries: retries, random: random))
        }
        return delay <= maximumRetryAfter ? .retry(after: delay) : .giveUp
    }

    /// Whether a status can be a reason to retry. Faster than ``step(after:to:retries:date:random:)``.
    package func mayRetry(_ status: Int) -> Bool {
        limit > 0 && (condition != nil || statuses.contains(status) || unprocessedStatuses.contains(status))
    }

    /// Whether the response is retried if that is safe. `false` with a condition, which decides about safety, too.
    package func retriesIfSafe(_ head: ResponseHead) -> Bool {
        limit > 0 && condition == nil && statuses.contains(head.statusCode)
    }

    private func shouldRetry(_ outcome: Outcome, _ request: PreparedRequest) -> Bool {
        if let condition { return condition.call(outcome, request) }
        switch outcome {
        case .response(let head):
            return unprocessedStatuses.contains(head.statusCode)
                || statuses.contains(head.statusCode) && request.isRepeatable
        case .failure(let error):
            guard let error = error as? TransportError, codes.contains(error.code) else { return false }
            return request.isRepeatable || !error.requestMayHaveBeenProcessed
        }
    }

    private func delay(retries: Int, random: () -> Double) -> Duration {
        switch backoff {
        case .fixed(let delay):
            return min(max(delay, .zero), Timeouts.unlimited)
        case .exponential(let initial, let maximum):
            // In seconds, because doubling a `Duration` can trap. 2¹⁰⁰ exceeds every limit.
            let doubled = Double(sign: .plus, exponent: min(retries, 100), significand: initial / .seconds(1))
            let limit = min(doubled, maximum / .seconds(1), Timeouts.longestInterval)
            let share = random()
            return share > 0 && limit > 0 ? .seconds(limit * min(share, 1)) : .zero
        }
    }

    /// Returns the wait that a response asks for. `nil` if it doesn't ask for one.
    private func serverDelay(in head: ResponseHead, now: () -> Date) -> Duration? {
        if let delay = head.header.single(.retryAfter).flatMap({ RetryPolicy.delay(ofRetryAfter: $0, now: now) }) {
            return delay
        }
        return serverDelay?.call(head).map { min(max($0, .zero), Timeouts.unlimited) }
    }

    /// Returns the wait of a `Retry-After`. `nil` if it is neither seconds, also with a fraction as some servers send
    /// it, nor a date (RFC 9110 §10.2.3).
    private static func delay(ofRetryAfter text: String, now: () -> Date) -> Duration? {
        if text.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }) {
            return Double(text).map { .seconds(min($0, Timeouts.longestInterval)) }
        }
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        return .seconds(min(max(date.timeIntervalSince(now()), 0), Timeouts.longestInterval))
    }
}

extension RetryPolicy.Outcome {
    fileprivate var isCancellation: Bool {
        if case .failure(let error) = self { error is CancellationError } else { false }
    }
}

extension PreparedRequest {
    /// Whether sending the request twice has the same effect as sending it once (RFC 9110 §9.2.2).
    package var isRepeatable: Bool { method.isIdempotent || header.contains(.idempotencyKey) }
}
