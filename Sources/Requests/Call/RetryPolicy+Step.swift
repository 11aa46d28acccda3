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
    ///   - environment: The randomness of the jitter, and the date for `Retry-After`.
    package func step(
        after outcome: Outcome,
        to request: PreparedRequest,
        retries: Int,
        in environment: inout some CallEnvironment
    ) -> Step {
        guard retries < limit, !outcome.isCancellation, shouldRetry(outcome, request), request.body.isReplayable else {
            return .giveUp
        }
        guard case .response(let head) = outcome, let delay = serverDelay(in: head, now: { environment.date }) else {
            return .retry(after: delay(retries: retries) { environment.random() })
        }
        return delay <= maximumRetryAfter ? .retry(after: delay) : .giveUp
    }

    /// Whether the response can't be a reason to retry. Faster than ``step(after:to:retries:in:)``.
    package func accepts(_ head: ResponseHead) -> Bool {
        condition == nil && !statuses.contains(head.statusCode) && !unprocessedStatuses.contains(head.statusCode)
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
        if let delay = head.header[.retryAfter].flatMap({ RetryPolicy.delay(ofRetryAfter: $0, now: now) }) {
            return delay
        }
        return serverDelay?.call(head).map { min(max($0, .zero), Timeouts.unlimited) }
    }

    /// Returns the wait of a `Retry-After`. `nil` if it is neither seconds nor a date (RFC 9110 §10.2.3).
    private static func delay(ofRetryAfter text: String, now: () -> Date) -> Duration? {
        if text.utf8.allSatisfy(\.isDigit) {
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
