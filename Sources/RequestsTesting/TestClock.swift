import Requests
import RequestsClient

/// A clock for tests that moves only when the test advances it, and that counts the sleeping tasks.
///
/// ```swift
/// let clock = TestClock()
/// var configuration = Client.Configuration()
/// configuration.clock = clock
/// configuration.retries = .fixed(.seconds(5), limit: 1)
/// ```
public final class TestClock: Clock, Sendable {
    /// A point in time, relative to the clock's start.
    public struct Instant: InstantProtocol {
        var offset: Duration

        /// Returns this time plus a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// Returns the duration until another time.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Returns whether the first time is before the second.
        public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    private let state = Locked(State())
    private let isImmediate: Bool

    /// Creates a clock.
    ///
    /// - Parameter isImmediate: Whether a sleep returns at once and advances the clock to its deadline. Default:
    ///   `false`.
    public init(isImmediate: Bool = false) {
        self.isImmediate = isImmediate
    }

    /// The current time.
    public var now: Instant { state.withLock { $0.now } }
    /// Always zero, because the clock is exact.
    public var minimumResolution: Duration { .zero }

    /// The requested durations of all sleeps so far, oldest first.
    public var sleeps: [Duration] { state.withLock { $0.sleeps } }

    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.sleeperCount } }

    /// Advances the clock, and wakes the tasks whose deadline has passed.
    public func advance(by duration: Duration) {
        change { $0.now = $0.now.advanced(by: duration) }
    }

    /// Sleeps until the clock reaches a time.
    ///
    /// A sleep with a tolerance is a timer: on an immediate clock, it waits until other sleeps have advanced the clock.
    ///
    /// - Throws: `CancellationError` if the task is canceled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let isTimer = isImmediate && tolerance != nil
        change { state in
            guard !isTimer else { return }
            state.sleeps.append(state.now.duration(to: deadline))
            if isImmediate { state.now = max(state.now, deadline) }
        }
        try await wait(until: .time(deadline))
    }

    /// Waits until at least a number of tasks are sleeping on this clock.
    ///
    /// - Parameter count: The number of tasks. Default: 1.
    /// - Throws: `CancellationError` if the task is canceled.
    public func waitForSleepers(_ count: Int = 1) async throws {
        try await wait(until: .sleepers(count))
    }

    private func wait(until condition: State.Condition) async throws {
        let id = state.withLock { $0.add(condition) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                change { $0.waiting[id]?.continuation = continuation }
            }
        } onCancel: {
            change { $0.waiting[id]?.isCanceled = true }
        }
    }

    /// Changes the state, and resumes the tasks whose wait is over as a result.
    private func change(_ change: (inout State) -> Void) {
        let finished = state.withLock { state in
            change(&state)
            return state.removeFinished()
        }
        for waiting in finished {
            waiting.continuation?.resume(with: waiting.isCanceled ? .failure(CancellationError()) : .success(()))
        }
    }
}

extension TestClock {
    private struct State {
        enum Condition {
            case time(Instant)
            case sleepers(Int)
        }

        struct Waiting {
            let condition: Condition
            var continuation: CheckedContinuation<Void, any Error>?
            var isCanceled = false
        }

        var now = Instant(offset: .zero)
        var sleeps: [Duration] = []
        var waiting: [Int: Waiting] = [:]
        private var nextID = 0

        /// The number of tasks that wait for a future time.
        var sleeperCount: Int {
            waiting.values.count { waiting in
                guard case .time = waiting.condition, waiting.continuation != nil else { return false }
                return !waiting.isCanceled && !isMet(waiting.condition)
            }
        }

        mutating func add(_ condition: Condition) -> Int {
            nextID += 1
            waiting[nextID] = Waiting(condition: condition)
            return nextID
        }

        /// Removes and returns the waits that ended or were canceled, in the order in which they started.
        mutating func removeFinished() -> [Waiting] {
            let finished = waiting.filter {
                $0.value.continuation != nil && ($0.value.isCanceled || isMet($0.value.condition))
            }
            for id in finished.keys { waiting[id] = nil }
            return finished.sorted { $0.key < $1.key }.map(\.value)
        }

        private func isMet(_ condition: Condition) -> Bool {
            switch condition {
            case .time(let deadline): deadline <= now
            case .sleepers(let count): sleeperCount >= count
            }
        }
    }
}
