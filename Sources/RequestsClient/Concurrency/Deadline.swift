import Requests

/// Until when a call may take. Made when it begins, and passed on.
struct Deadline: Sendable {
    private enum Start {
        /// Apart, because a closure is an allocation.
        case system(ContinuousClock.Instant)
        case other(elapsed: @Sendable () -> Duration)
    }

    /// The time allowed for the whole call. `nil` if there is no limit.
    let total: Duration?
    private let start: Start?
    private let clock: any Clock<Duration>

    init(_ total: Duration?, on clock: any Clock<Duration>) {
        (self.total, self.clock) = (total, clock)
        start = total == nil ? nil : clock is ContinuousClock ? .system(.now) : .other(elapsed: clock.stopwatch())
    }

    /// The time that is left. `nil` if there is no limit.
    var remaining: Duration? {
        guard let total, let start else { return nil }
        return switch start {
        case .system(let instant): min(total, Timeouts.unlimited) - instant.duration(to: .now)
        case .other(let elapsed): min(total, Timeouts.unlimited) - elapsed()
        }
    }

    /// Returns the time that is left, or throws if there is none.
    func remaining(before request: PreparedRequest) throws -> Duration? {
        let left = remaining
        if let total, let left, left <= .zero { throw TransportError.timedOut(total, request.url) }
        return left
    }

    /// The clock to sleep on until the deadline. `nil` for the system's, whose timer all calls of a client share.
    var sleepingClock: (any Clock<Duration>)? {
        if case .system? = start { nil } else { clock }
    }
}

extension TransportError {
    static func timedOut(_ total: Duration, _ url: RequestURL) -> TransportError {
        TransportError(
            code: .timedOut(.total),
            message: "\(url): the total timeout of \(total) was reached (timeouts.total)",
            phase: .preparing
        )
    }
}
