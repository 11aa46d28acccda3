import Requests

/// A clock that stands still until a test moves it, and counts who waits for it.
final class TestClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    private struct Sleeper {
        var deadline: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var sleeps: [Duration] = []
        var nextID = 0
    }

    private let state = Guarded(State())
    /// Whether sleeping moves the clock, so that nobody waits.
    private let isImmediate: Bool

    init(isImmediate: Bool = false) {
        self.isImmediate = isImmediate
    }

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    /// How long each sleep was asked to be, oldest first.
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    /// How many are asleep now.
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let woken = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in woken.keys { state.sleepers[id] = nil }
            return woken.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.nextID += 1
            state.sleeps.append(state.now.duration(to: deadline))
            return state.nextID
        }
        guard !isImmediate else {
            state.withLock { $0.now = max($0.now, deadline) }
            return
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return true }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper?.continuation
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    /// Yields until so many are asleep.
    func waitForSleepers(_ count: Int) async {
        while sleeperCount < count { await Task.yield() }
    }
}
