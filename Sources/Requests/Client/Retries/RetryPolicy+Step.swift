import Foundation

extension RetryPolicy {
    /// What comes after an attempt.
    public enum Step: Hashable, Sendable {
        /// Send the request again when so much time has passed.
        case retry(after: Duration)
        /// What the attempt gave is what the caller gets.
        case giveUp
    }

    /// Decides what comes after an attempt.
    ///
    /// - Parameters:
    ///   - outcome: What the attempt gave.
    ///   - request: The request.
    ///   - retries: How often it was sent again already.
    ///   - random: A number from 0 up to 1, which the jitter takes.
    ///   - now: The date that a date in `Retry-After` is compared with.
    public func step(
        after outcome: Outcome,
        to request: PreparedRequest,
        retries: Int,
        random: () -> Double,
        now: () -> Date
    ) -> Step {
        guard retries < limit, !outcome.isCancellation, shouldRetry(outcome, request), request.body.isReplayable else {
            return .giveUp
        }
        guard case .response(let head) = outcome, let delay = delay(statedBy: head, now: now) else {
            return .retry(after: delay(retries: retries, random: random))
        }
        return delay <= maximumRetryAfter ? .retry(after: delay) : .giveUp
    }

    /// Whether the response needs no decision, as most do; a quicker check than a whole step.
    func accepts(_ head: ResponseHead) -> Bool {
        condition == nil && !statuses.contains(head.statusCode)
    }

    private func shouldRetry(_ outcome: Outcome, _ request: PreparedRequest) -> Bool {
        if let condition { return condition.call(outcome, request) }
        switch outcome {
        case .response(let head):
            return statuses.contains(head.statusCode) && request.isRepeatable
        case .failure(let error):
            guard let error = error as? TransportError, codes.contains(error.code) else { return false }
            return request.isRepeatable || !error.requestMayHaveBeenProcessed
        }
    }

    private func delay(retries: Int, random: () -> Double) -> Duration {
        switch backoff {
        case .fixed(let delay):
            return min(max(delay, .zero), Timeouts.longest)
        case .exponential(let initial, let maximum):
            // In seconds: doubling a `Duration` often enough traps.
            let doubled = (initial / .seconds(1)) * pow(2, Double(retries))
            let limit = min(doubled, maximum / .seconds(1), Timeouts.longestInterval)
            let share = random()
            return share > 0 && limit > 0 ? .seconds(limit * min(share, 1)) : .zero
        }
    }

    /// The wait that a response asks for; `nil` where it asks for none.
    private func delay(statedBy head: ResponseHead, now: () -> Date) -> Duration? {
        if let delay = head.header[.retryAfter].flatMap({ RetryPolicy.delay(ofRetryAfter: $0, now: now) }) {
            return delay
        }
        return statedWait?.call(head).map { min(max($0, .zero), Timeouts.longest) }
    }

    /// The wait that a `Retry-After` asks for; `nil` where it is neither seconds nor a date (RFC 9110 §10.2.3).
    private static func delay(ofRetryAfter text: String, now: () -> Date) -> Duration? {
        if text.utf8.allSatisfy(\.isDigit) {
            return Double(text).map { .seconds(min($0, Timeouts.longestInterval)) }
        }
        guard let date = HTTPDate.parse(text) else { return nil }
        return .seconds(min(max(date.timeIntervalSince(now()), 0), Timeouts.longestInterval))
    }
}

extension RetryPolicy.Outcome {
    fileprivate var isCancellation: Bool {
        if case .failure(let error) = self { error is CancellationError } else { false }
    }
}

extension PreparedRequest {
    /// Whether the server may act on it twice (RFC 9110 §9.2.2).
    var isRepeatable: Bool { method.isIdempotent || header.contains(.idempotencyKey) }
}
