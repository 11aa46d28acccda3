import Requests

/// The calls in progress, which can all be canceled.
///
/// A call runs in its caller's task, because a child task costs more than the rest of the client.
final class RunningCalls: Sendable {
    private struct State {
        /// By position, because finding one then takes no hashing.
        var calls: [RunningCall?] = []
        var freePositions: [Int] = []
    }

    private let state = Locked(State())

    /// Runs a call.
    func run<Result: Sendable>(_ operation: () async throws -> Result) async throws -> Result {
        let (call, position) = withUnsafeCurrentTask { add(RunningCall($0)) }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await operation())
        } catch {
            result = .failure(error)
        }
        state.withLock { state in
            state.calls[position] = nil
            state.freePositions.append(position)
        }
        await call.end()
        return try result.get()
    }

    private func add(_ call: RunningCall) -> (RunningCall, Int) {
        state.withLock { state in
            guard let position = state.freePositions.popLast() else {
                state.calls.append(call)
                return (call, state.calls.count - 1)
            }
            state.calls[position] = call
            return (call, position)
        }
    }

    /// Cancels the calls that are in progress now.
    func cancelAll() {
        for case let call? in state.withLock({ $0.calls }) { call.cancel() }
    }
}

/// A call in progress.
///
/// Its task may only be used while the task exists. Canceling runs code of callers, so it happens outside the lock, and
/// the task waits for its end.
private final class RunningCall: Sendable {
    /// Safe: ``cancel()`` uses the task only in the state `running` or `canceling`, and the task can't leave the call
    /// before ``end()`` has waited for that.
    private struct TaskReference: Sendable {
        nonisolated(unsafe) let task: UnsafeCurrentTask
    }

    private enum State {
        case running(TaskReference)
        case canceling(Waiter?)
        case ended
    }

    private let state: Locked<State>

    init(_ task: UnsafeCurrentTask?) {
        state = Locked(task.map { .running(TaskReference(task: $0)) } ?? .ended)
    }

    func cancel() {
        let running = state.withLock { state -> TaskReference? in
            guard case .running(let running) = state else { return nil }
            state = .canceling(nil)
            return running
        }
        guard let running else { return }
        running.task.cancel()
        let waiter = state.withLock { state -> Waiter? in
            defer { state = .ended }
            if case .canceling(let waiter) = state { return waiter }
            return nil
        }
        waiter?.resume()
    }

    /// Waits until nothing uses the task any more.
    func end() async {
        let isCanceling = state.withLock { state in
            if case .canceling = state { return true }
            state = .ended
            return false
        }
        guard isCanceling else { return }
        await Waiter.wait { waiter in
            let isOver = state.withLock { state in
                if case .canceling = state {
                    state = .canceling(waiter)
                    return false
                }
                return true
            }
            if isOver { waiter.resume() }
        }
    }
}
