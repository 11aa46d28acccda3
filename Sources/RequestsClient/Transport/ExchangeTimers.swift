import Requests

/// The deadlines of an exchange, in nanoseconds on the transport's clock.
package struct ExchangeTimers: Sendable {
    private let total: UInt64?
    private let attempt: UInt64?
    private let idle: UInt64
    /// `nil` if the connection is established, or the library limits it itself.
    private var connect: UInt64?
    package private(set) var lastActivity: UInt64
    /// Set while the exchange waits for a free connection, or for a reader that is slower than the server.
    private var isSuspended: Bool

    /// - Parameters:
    ///   - deadline: The call's deadline.
    ///   - isConnecting: Whether the connect timeout applies. The exchange then waits for a connection until
    ///     `noteConnecting(at:)` or `noteConnected(at:)`.
    package init(_ timeouts: Timeouts, _ deadline: Deadline, start: UInt64, isConnecting: Bool = false) {
        connect = isConnecting ? timeouts.connect.map { start &+ $0.clampedNanoseconds } : nil
        total = deadline.remaining.map { start &+ $0.clampedNanoseconds }
        attempt = timeouts.attempt.map { start &+ $0.clampedNanoseconds }
        idle = (timeouts.idle ?? Timeouts.defaultIdle).clampedNanoseconds
        lastActivity = start
        isSuspended = isConnecting
        isLimited = total != nil || attempt != nil || timeouts.idle != nil
    }

    /// Whether a timeout was set, and not only the default one of an idle exchange.
    package let isLimited: Bool

    package mutating func noteActivity(at now: UInt64) { lastActivity = now }

    package mutating func noteConnecting(at now: UInt64) {
        (isSuspended, lastActivity) = (false, now)
    }

    package mutating func noteConnected(at now: UInt64) {
        connect = nil
        noteConnecting(at: now)
    }

    package mutating func suspendIdle(_ suspend: Bool, at now: UInt64) {
        guard suspend != isSuspended else { return }
        isSuspended = suspend
        lastActivity = now
    }

    package func reached(at now: UInt64) -> TransportError.Limit? {
        if let total, total <= now { return .total }
        if let attempt, attempt <= now { return .attempt }
        if let connect, connect <= now { return .connect }
        return !isSuspended && lastActivity &+ idle <= now ? .idle : nil
    }

    /// When to check again. `nil` if no deadline can be reached now.
    package var next: UInt64? {
        // Not one call of `min`, which would allocate an array.
        let whole = min(attempt ?? .max, total ?? .max)
        let next = min(isSuspended ? .max : lastActivity &+ idle, min(whole, connect ?? .max))
        return next == .max ? nil : next
    }
}

extension Duration {
    /// The duration in nanoseconds, at most a century.
    var clampedNanoseconds: UInt64 {
        let (seconds, attoseconds) = min(self, Timeouts.unlimited).components
        return UInt64(max(seconds, 0)) * 1_000_000_000 + UInt64(max(attoseconds, 0) / 1_000_000_000)
    }
}
