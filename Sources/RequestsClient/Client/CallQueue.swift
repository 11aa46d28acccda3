/// Limits the calls of a client that run at the same time. The others wait in order.
final class CallQueue: Sendable {
    private struct State {
        var running = 0
        var waiting: ArraySlice<(limit: Int, turn: Turn)> = []
    }

    private let state = Locked(State())

    /// The queues whose calls this task belongs to. A call within another one doesn't wait, because the other one may
    /// wait for it.
    @TaskLocal private static var entered: [CallQueue] = []

    /// Whether this task belongs to a call of the queue.
    var isEntered: Bool { CallQueue.entered.contains { $0 === self } }

    /// Runs a call when fewer than `limit` are running.
    ///
    /// - Parameter waiting: Runs the wait, if there is one, and can end it early by throwing.
    func run<Value>(
        _ limit: Int,
        _ call: () async throws -> Value,
        waiting: (@escaping @Sendable () async throws -> Void) async throws -> Void
    ) async throws -> Value {
        if let turn = enter(max(limit, 1)) {
            do {
                try await waiting { try await turn.wait() }
            } catch {
                turn.cancel()
                if turn.isAdmitted { leave() }
                throw error
            }
        }
        defer { leave() }
        return try await CallQueue.$entered.withValue(CallQueue.entered + [self], operation: call)
    }

    /// Returns `nil` if the call may run, and its turn otherwise.
    private func enter(_ limit: Int) -> Turn? {
        state.withLock { state in
            guard state.running >= limit || !state.waiting.isEmpty else {
                state.running += 1
                return nil
            }
            let turn = Turn()
            state.waiting.append((limit, turn))
            return turn
        }
    }

    /// Passes the place of a call on to the first one that still waits for it.
    private func leave() {
        while let turn = next(), !turn.admit() {}
    }

    /// Returns the first turn, which gets the place. `nil` if there is none, or its limit is lower.
    private func next() -> Turn? {
        state.withLock { state in
            guard let first = state.waiting.first, state.running <= first.limit else {
                state.running -= 1
                return nil
            }
            state.waiting.removeFirst()
            return first.turn
        }
    }
}

/// The place of a call in the queue.
private final class Turn: Cancelable {
    private enum State {
        case waiting
        case admitted
        case canceled
    }

    private let state = Locked(State.waiting)
    private let promise = Promise<Void>()

    func wait() async throws {
        try await CallScope.canceling(self) { try await promise.take() }
    }

    /// Returns `false` if the call doesn't wait any more.
    func admit() -> Bool { end(.admitted, .success(())) }

    func cancel() { _ = end(.canceled, .failure(CancellationError())) }

    var isAdmitted: Bool { state.withLock { $0 == .admitted } }

    private func end(_ outcome: State, _ result: Result<Void, any Error>) -> Bool {
        let isFirst = state.withLock { state in
            guard state == .waiting else { return false }
            state = outcome
            return true
        }
        if isFirst { promise.give(result) }
        return isFirst
    }
}
