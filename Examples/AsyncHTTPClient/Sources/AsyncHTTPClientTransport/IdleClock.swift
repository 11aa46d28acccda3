import Requests
import Synchronization

/// Ends an exchange at its limits: AsyncHTTPClient has an idle timeout for a client, not for a request.
final class IdleClock: Sendable {
    private let total: ContinuousClock.Instant?
    private let idle: Duration
    /// `nil` while the reader is the slow side: the server's silence is not its fault then.
    private let lastActivity = Mutex<ContinuousClock.Instant?>(.now)

    init(_ timeouts: Timeouts) {
        total = timeouts.total.map { .now + $0 }
        idle = timeouts.idle ?? .seconds(60)
    }

    func touch() {
        lastActivity.withLock { $0 = .now }
    }

    func pause(_ operation: () async -> Void) async {
        lastActivity.withLock { $0 = nil }
        await operation()
        touch()
    }

    /// Runs an operation, and cancels it when a limit is reached.
    func limit(_ operation: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await operation() }
            group.addTask { try await self.expire() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func expire() async throws {
        while true {
            let now = ContinuousClock.now
            if let total, total <= now { throw LimitReached(limit: .total) }
            let silentUntil = (lastActivity.withLock { $0 } ?? now) + idle
            if silentUntil <= now { throw LimitReached(limit: .idle) }
            try await Task.sleep(until: min(silentUntil, total ?? silentUntil), clock: .continuous)
        }
    }
}

struct LimitReached: Error, CustomStringConvertible {
    let limit: TransportError.Limit

    var description: String { "the \(limit.rawValue) timeout was reached" }
}
