import Foundation

/// What the copies of a client share.
final class ClientState: Sendable {
    /// A task while it waits for a call. It lives as long as it is registered: it has to leave before it can end.
    private struct Waiting: Sendable {
        nonisolated(unsafe) let task: UnsafeCurrentTask
    }

    private struct State {
        var next: UInt64 = 0
        var waiting: [UInt64: Waiting] = [:]
        var listeners: [UInt64: AsyncStream<Client.Failure>.Continuation] = [:]

        mutating func nextID() -> UInt64 {
            next += 1
            return next
        }
    }

    private let state = Guarded(State())

    deinit {
        for listener in state.withLock({ $0.listeners }).values { listener.finish() }
    }

    /// Registers the current task.
    func enter() -> UInt64 {
        withUnsafeCurrentTask { task in
            let waiting = task.map { Waiting(task: $0) }
            return state.withLock { state in
                let id = state.nextID()
                state.waiting[id] = waiting
                return id
            }
        }
    }

    func leave(_ id: UInt64) {
        state.withLock { state in
            _ = state.waiting.removeValue(forKey: id)
        }
    }

    func cancelAll() {
        // Under the lock: nobody can leave, and so none of the tasks can end, meanwhile.
        state.withLock { state in
            for waiting in state.waiting.values { waiting.task.cancel() }
        }
    }

    func nextCall() -> UInt64 { state.withLock { $0.nextID() } }

    /// Failures from now on.
    func failures() -> AsyncStream<Client.Failure> {
        AsyncStream(bufferingPolicy: .bufferingNewest(100)) { continuation in
            let id = state.withLock { state in
                let id = state.nextID()
                state.listeners[id] = continuation
                return id
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { state in
                    _ = state.listeners.removeValue(forKey: id)
                }
            }
        }
    }

    var listeners: [AsyncStream<Client.Failure>.Continuation] {
        state.withLock { Array($0.listeners.values) }
    }
}
