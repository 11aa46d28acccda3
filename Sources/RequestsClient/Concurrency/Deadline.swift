import Requests

/// When a call must end: an instant on the call's clock. Made once, when the call begins, and passed on.
public struct Deadline: Sendable {
    private enum Start {
        /// Apart, because a closure is an allocation.
        case system(ContinuousClock.Instant)
        case other(Stopwatch)
    }

    /// The time allowed for the whole call. `nil` if there is no limit.
    public let total: Duration?
    private let start: Start?

    /// No limit.
    public static let none = Deadline(after: nil)

    /// Creates a deadline.
    ///
    /// - Parameters:
    ///   - total: The time from now on. `nil` for no limit.
    ///   - clock: The clock. Default: the system's.
    public init(after total: Duration?, on clock: any Clock<Duration> = ContinuousClock()) {
        self.total = total
        start = total.map { _ in
            clock is ContinuousClock ? .system(.now) : .other(clock.stopwatch())
        }
    }

    /// The time that is left; negative if the deadline has passed. `nil` if there is no limit.
    public var remaining: Duration? {
        guard let total, let start else { return nil }
        return switch start {
        case .system(let instant): min(total, Timeouts.unlimited) - instant.duration(to: .now)
        case .other(let stopwatch): min(total, Timeouts.unlimited) - stopwatch.elapsed
        }
    }

    /// Throws if no time is left.
    func check(before request: PreparedRequest) throws {
        if let total, let remaining, remaining <= .zero { throw TransportError.timedOut(total, request) }
    }

    /// Whether the timer that all calls of a client share can watch the deadline.
    var isOnSystemClock: Bool { if case .system? = start { true } else { false } }

    /// Sleeps until the deadline, unless it is on the system's clock.
    func sleep() async throws {
        if let total, case .other(let stopwatch)? = start { try await stopwatch.sleep(min(total, Timeouts.unlimited)) }
    }
}

extension TransportError {
    static func timedOut(_ total: Duration, _ request: PreparedRequest) -> TransportError {
        let reason = reason(.total, of: request.options.timeouts, total: total)
        return TransportError(code: .timedOut(.total), message: "\(request): \(reason)", phase: .preparing)
    }

    /// Describes a timeout that was reached.
    ///
    /// - Parameter total: The total timeout of the call.
    package static func reason(_ limit: Limit, of timeouts: Timeouts, total: Duration? = nil) -> String {
        let duration =
            switch limit {
            case .connect: timeouts.connect
            case .attempt: timeouts.attempt
            case .total: total
            default: timeouts.idle ?? Timeouts.defaultIdle
            }
        return "the \(limit.rawValue) timeout of \(duration ?? .zero) was reached (timeouts.\(limit.rawValue))"
    }
}

/// The time since its creation, on any clock.
package struct Stopwatch: Sendable {
    private let measure: @Sendable () -> Duration
    /// Sleeps until so long after the creation, as a timer does: it has a tolerance, so that an immediate test clock
    /// doesn't advance for it.
    package let sleep: @Sendable (Duration) async throws -> Void

    package var elapsed: Duration { measure() }

    fileprivate init(_ clock: some Clock<Duration>) {
        let start = clock.now
        measure = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: .zero) }
    }
}

extension Clock<Duration> {
    /// Starts to measure the time.
    package func stopwatch() -> Stopwatch { Stopwatch(self) }
}
