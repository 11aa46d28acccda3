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

    /// Sets the request's total timeout to the time that is left, or throws if there is none. A shorter timeout stays.
    func limit(_ request: inout PreparedRequest) throws(TransportError) {
        let remaining = remaining
        guard remaining > .zero else { throw timedOut(request.url) }
        if let total = request.options.timeouts.total, total < remaining { return }
        request.options.timeouts.setRemaining(remaining, ofTotal: total)
    }

    /// Runs an operation and cancels it at the deadline, without waiting for its end.
    ///
    /// - Parameter isSent: Returns whether the operation has sent the request.
    func limiting<Value: Sendable>(
        _ url: RequestURL,
        isSent: @escaping @Sendable () -> Bool = { false },
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let promise = Promise<Value>()
        let running = Task {
            do {
                promise.give(.success(try await operation()))
            } catch {
                promise.give(.failure(error))
            }
        }
        let timer = Task {
            // A canceled timer gives nothing, because the operation ends by itself.
            guard (try? await clock.sleep(for: remaining)) != nil else { return }
            var error = timedOut(url)
            error.requestMayHaveBeenProcessed = isSent()
            promise.give(.failure(error))
        }
        defer {
            running.cancel()
            timer.cancel()
        }
        return try await withTaskCancellationHandler {
            try await promise.take()
        } onCancel: {
            running.cancel()
        }
    }

    private func timedOut(_ url: RequestURL) -> TransportError {
        TransportError(
            code: .timedOut(.total),
            message: "\(url): the total timeout of \(total) was reached (timeouts.total)",
            phase: .preparing
        )
    }
}
