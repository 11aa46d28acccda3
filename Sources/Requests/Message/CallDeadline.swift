/// When all that a request takes has to be over, on a client's clock.
struct CallDeadline: Sendable {
    let total: Duration
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration

    init(_ total: Duration, on clock: any Clock<Duration>) {
        // No clock can wait for all that a `Duration` can hold.
        self.total = min(total, Timeouts.longest)
        self.clock = clock
        self.elapsed = clock.stopwatch()
    }

    var remaining: Duration { total - elapsed() }

    /// Whether there is time left after a wait.
    func allows(_ delay: Duration) -> Bool { delay < remaining }

    func remaining(for url: RequestURL) throws(TransportError) -> Duration {
        let remaining = remaining
        guard remaining > .zero else { throw timedOut(url) }
        return remaining
    }

    /// Runs an operation, and cancels it when the time is up.
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
    /// How much time has passed since now, each time it is asked.
    func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}
