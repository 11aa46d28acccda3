import Foundation

/// What the copies of a client share.
final class ClientState: Sendable {
    /// A task while it waits for a call. It lives as long as it is registered: it has to leave before it can end.
    private struct Waiting: Sendable {
        nonisolated(unsafe) let task: UnsafeCurrentTask
    }

    private struct State {
        /// By place: finding a place takes no hashing.
        var waiting: [Waiting?] = []
        var freePlaces: [Int] = []
        var listeners: [UInt64: AsyncStream<Client.Failure>.Continuation] = [:]
        var last: UInt64 = 0

        mutating func nextNumber() -> UInt64 {
            last += 1
            return last
        }
    }

    private let state = Guarded(State())

    deinit {
        for listener in state.withLock({ $0.listeners }).values { listener.finish() }
    }

    /// Registers the current task.
    ///
    /// - Returns: Its place, for ``leave(_:)``.
    func enter() -> Int {
        withUnsafeCurrentTask { task in
            let waiting = task.map { Waiting(task: $0) }
            return state.withLock { state in
                guard let place = state.freePlaces.popLast() else {
                    state.waiting.append(waiting)
                    return state.waiting.count - 1
                }
                state.waiting[place] = waiting
                return place
            }
        }
    }

    func leave(_ place: Int) {
        state.withLock { state in
            state.waiting[place] = nil
            state.freePlaces.append(place)
        }
    }

    func cancelAll() {
        // Under the lock: nobody can leave, and so none of the tasks can end, meanwhile.
        state.withLock { state in
            for waiting in state.waiting { waiting?.task.cancel() }
        }
    }

    func nextCall() -> UInt64 { state.withLock { $0.nextNumber() } }

    /// Failures from now on.
    func failures() -> AsyncStream<Client.Failure> {
        AsyncStream(bufferingPolicy: .bufferingNewest(100)) { continuation in
            let number = state.withLock { state in
                let number = state.nextNumber()
                state.listeners[number] = continuation
                return number
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { state in
                    _ = state.listeners.removeValue(forKey: number)
                }
            }
        }
    }

    var listeners: [AsyncStream<Client.Failure>.Continuation] {
        state.withLock { Array($0.listeners.values) }
    }
}
