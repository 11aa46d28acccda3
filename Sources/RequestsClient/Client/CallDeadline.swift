import Requests

/// The end of a call's total timeout, on the client's clock.
struct CallDeadline: Sendable {
    let total: Duration
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration

    init(_ total: Duration, on clock: any Clock<Duration>) {
        self.total = min(total, Timeouts.unlimited)
        self.clock = clock
        self.elapsed = clock.stopwatch()
    }

    var remaining: Duration { total - elapsed() }

    /// Whether there is time left after a wait.
    func allows(_ delay: Duration) -> Bool { delay < remaining }

    /// Sets the request's total timeout to the time that is left, or throws if there is none.
    func limit(_ request: inout PreparedRequest) throws(TransportError) {
        let remaining = remaining
        guard remaining > .zero else { throw timedOut(request.url) }
        request.options.timeouts.setRemaining(remaining, ofTotal: total)
    }

    /// Runs an operation and cancels it at the deadline.
    func limiting<Result: Sendable>(
        _ url: RequestURL,
        _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await clock.sleep(for: remaining)
                throw timedOut(url)
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    private func timedOut(_ url: RequestURL) -> TransportError {
        TransportError(
            code: .timedOut(.total),
            message: "\(url): the total timeout of \(total) was reached",
            phase: .preparing
        )
    }
}

extension Clock<Duration> {
    /// Returns a closure that measures the time since this call.
    func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}
