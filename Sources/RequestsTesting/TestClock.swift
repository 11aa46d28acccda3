import Requests
import RequestsClient

/// A clock that stands still until a test moves it, and knows who waits for it.
///
/// ```swift
/// let clock = TestClock()
/// var configuration = Client.Configuration()
/// configuration.clock = clock
/// configuration.retries = .fixed(.seconds(5), limit: 1)
/// ```
public final class TestClock: Clock, Sendable {
    /// A time of the clock, told from its start.
    public struct Instant: InstantProtocol {
        var offset: Duration

        /// The time that is so much later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// How much later another time is.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Whether a time is before another.
        public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    private let state = Locked(State())
    private let isImmediate: Bool

    /// - Parameter isImmediate: Whether sleeping moves the clock, so that nobody waits; `false` by default.
    public init(isImmediate: Bool = false) {
        self.isImmediate = isImmediate
    }

    /// The time.
    public var now: Instant { state.withLock { $0.now } }
    /// None: times are exact.
    public var minimumResolution: Duration { .zero }

    /// How long each sleep was asked to be, oldest first.
    public var sleeps: [Duration] { state.withLock { $0.sleeps } }

    /// How many are asleep now.
    public var sleeperCount: Int { state.withLock { $0.sleeperCount } }

    /// Moves the clock, and wakes those whose time has come.
    public func advance(by duration: Duration) {
        change { $0.now = $0.now.advanced(by: duration) }
    }

    /// Sleeps until a time.
    ///
    /// - Throws: `CancellationError`, when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        change { state in
            state.sleeps.append(state.now.duration(to: deadline))
            if isImmediate { state.now = max(state.now, deadline) }
        }
        try await wait(until: .time(deadline))
    }

    /// Waits until so many are asleep.
    ///
    /// - Throws: `CancellationError`, when the task is cancelled.
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
            change { $0.waiting[id]?.isCancelled = true }
        }
    }

    /// Changes the state, and resumes those for whom that was the end of waiting.
    private func change(_ change: (inout State) -> Void) {
        let done = state.withLock { state in
            change(&state)
            return state.removeDone()
        }
        for waiting in done {
            waiting.continuation?.resume(with: waiting.isCancelled ? .failure(CancellationError()) : .success(()))
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
            var isCancelled = false
        }

        var now = Instant(offset: .zero)
        var sleeps: [Duration] = []
        var waiting: [Int: Waiting] = [:]
        private var nextID = 0

        /// Those who wait for a time that has not come.
        var sleeperCount: Int {
            waiting.values.count { waiting in
                guard case .time = waiting.condition, waiting.continuation != nil else { return false }
                return !waiting.isCancelled && !isMet(waiting.condition)
            }
        }

        mutating func add(_ condition: Condition) -> Int {
            nextID += 1
            waiting[nextID] = Waiting(condition: condition)
            return nextID
        }

        /// Removes those who have waited long enough or were cancelled, in the order in which they came.
        mutating func removeDone() -> [Waiting] {
            let done = waiting.filter {
                $0.value.continuation != nil && ($0.value.isCancelled || isMet($0.value.condition))
            }
            for id in done.keys { waiting[id] = nil }
            return done.sorted { $0.key < $1.key }.map(\.value)
        }

        private func isMet(_ condition: Condition) -> Bool {
            switch condition {
            case .time(let deadline): deadline <= now
            case .sleepers(let count): sleeperCount >= count
            }
        }
    }
}
