import Requests

/// When a transfer's time is up, on the loop's clock in nanoseconds.
struct Deadlines {
    private var total: UInt64?
    private let idle: UInt64
    private var lastActivity: UInt64
    /// Set while the reader is the slow side: the peer's silence is not its fault then.
    private var isSuspended = false

    init(_ timeouts: Timeouts, start: UInt64) {
        total = timeouts.total.map { start &+ $0.clampedNanoseconds }
        idle = (timeouts.idle ?? Timeouts.defaultIdle).clampedNanoseconds
        lastActivity = start
    }

    mutating func noteActivity(at now: UInt64) {
        lastActivity = now
    }

    mutating func suspendIdle(_ suspend: Bool, at now: UInt64) {
        guard suspend != isSuspended else { return }
        isSuspended = suspend
        lastActivity = now
    }

    func reached(at now: UInt64) -> TransportError.Limit? {
        if let total, total <= now { return .total }
        return !isSuspended && lastActivity &+ idle <= now ? .idle : nil
    }

    /// When to look again.
    var next: UInt64? {
        let idleDeadline = isSuspended ? nil : lastActivity &+ idle
        return [total, idleDeadline].compactMap { $0 }.min()
    }
}
