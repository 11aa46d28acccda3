import Foundation

/// What the copies of a client share.
final class ClientState: Sendable {
    /// A task while it waits for a call. It lives as long as it is registered: it has to leave before it can end.
    private struct Waiting: Sendable {
        nonisolated(unsafe) let task: UnsafeCurrentTask
    }

    private struct Calls {
        /// By place: finding a place takes no hashing.
        var waiting: [Waiting?] = []
        var freePlaces: [Int] = []
    }

    private struct Audience {
        var continuations: [UInt64: AsyncStream<Client.Failure>.Continuation] = [:]
        var lastListener: UInt64 = 0
        var lastCall: UInt64 = 0
    }

    private let calls = Guarded(Calls())
    /// Apart from the calls: to cancel one of them can end a listener, at once and on the same thread.
    private let audience = Guarded(Audience())
    /// Whether calls are being cancelled: what is told of it may want to cancel them, too.
    private let isCancelling = Guarded(false)

    deinit {
        for listener in listeners { listener.finish() }
    }

    /// Registers the current task.
    ///
    /// - Returns: Its place, for ``leave(_:)``.
    func enter() -> Int {
        withUnsafeCurrentTask { task in
            let waiting = task.map { Waiting(task: $0) }
            return calls.withLock { calls in
                guard let place = calls.freePlaces.popLast() else {
                    calls.waiting.append(waiting)
                    return calls.waiting.count - 1
                }
                calls.waiting[place] = waiting
                return place
            }
        }
    }

    func leave(_ place: Int) {
        calls.withLock { calls in
            calls.waiting[place] = nil
            calls.freePlaces.append(place)
        }
    }

    func cancelAll() {
        let isFirst = isCancelling.withLock { isCancelling in
            defer { isCancelling = true }
            return !isCancelling
        }
        guard isFirst else { return }
        // Under the lock: nobody can leave, and so none of the tasks can end, meanwhile.
        calls.withLock { calls in
            for waiting in calls.waiting { waiting?.task.cancel() }
            // Before the lock is free: calls that begin from now on are not cancelled by this.
            isCancelling.withLock { $0 = false }
        }
    }

    func nextCall() -> UInt64 {
        audience.withLock { audience in
            audience.lastCall += 1
            return audience.lastCall
        }
    }

    /// Failures from now on.
    func failures() -> AsyncStream<Client.Failure> {
        AsyncStream(bufferingPolicy: .bufferingNewest(100)) { continuation in
            let number = audience.withLock { audience in
                audience.lastListener += 1
                audience.continuations[audience.lastListener] = continuation
                return audience.lastListener
            }
            continuation.onTermination = { [weak self] _ in
                self?.audience.withLock { audience in
                    _ = audience.continuations.removeValue(forKey: number)
                }
            }
        }
    }

    var listeners: [AsyncStream<Client.Failure>.Continuation] {
        audience.withLock { Array($0.continuations.values) }
    }
}
