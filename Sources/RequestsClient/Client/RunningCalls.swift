import Requests

/// The calls in progress, which can all be canceled.
final class RunningCalls: Sendable {
    private struct State {
        /// By position, because finding a call then takes no hashing.
        var calls: [CallState?] = []
        var freePositions: [Int] = []
    }

    private let state = Locked(State())
    private let watchdog = Locked<Watchdog?>(nil)

    /// Looks at the deadlines of the calls at a time.
    func wake(at time: UInt64) {
        watchdog.withLock { watchdog in
            let timer =
                watchdog
                ?? Watchdog { [weak self] now in
                    self?.state.withLock { $0.calls }.compactMap { $0?.checkDeadline(at: now) }.min()
                }
            watchdog = timer
            timer.wake(at: time)
        }
    }

    /// Runs work outside a call, such as a wait or a decoder.
    func run<Result: Sendable>(_ operation: () async throws -> Result) async throws -> Result {
        let call = CallState()
        let position = add(call)
        defer { remove(position) }
        return try await CallState.$current.withValue(call, operation: operation)
    }

    var count: Int { state.withLock { $0.calls.count - $0.freePositions.count } }

    /// Cancels the calls that are in progress now.
    ///
    /// Canceling runs code of callers, so it happens outside the lock.
    func cancelAll() { for case let call? in state.withLock({ $0.calls }) { call.cancel() } }

    /// - Returns: The call's position, for ``remove(_:)``.
    func add(_ call: CallState) -> Int {
        state.withLock { state in
            guard let position = state.freePositions.popLast() else {
                state.calls.append(call)
                return state.calls.count - 1
            }
            state.calls[position] = call
            return position
        }
    }

    func remove(_ position: Int) {
        state.withLock { state in
            state.calls[position] = nil
            state.freePositions.append(position)
        }
    }
}
