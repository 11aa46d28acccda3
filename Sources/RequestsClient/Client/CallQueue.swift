/// Limits the calls of a client that run at the same time. The others wait in order.
final class CallQueue: Sendable {
    private struct State {
        var running = 0
        var waiting: ArraySlice<(limit: Int, turn: Turn)> = []
    }

    private let state = Locked(State())

    /// Whether this task belongs to a call of the queue that hasn't ended, or to exempt work. Its calls don't wait,
    /// because the other one may wait for them.
    var isEntered: Bool {
        TaskMark.isPresent(of: ObjectIdentifier(self)) || TaskMark.isPresent(of: ObjectIdentifier(CallQueue.self))
    }

    /// Runs work that calls with a place wait for, such as a refresh. Its calls don't wait in any queue, whatever
    /// becomes of the call that started it.
    static func exempting<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        try await TaskMark.run(of: ObjectIdentifier(CallQueue.self), work)
    }

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
        return try await TaskMark.run(of: ObjectIdentifier(self), call)
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

    /// Frees a place, and admits the first calls that still wait, up to their limits.
    private func leave() {
        state.withLock { $0.running -= 1 }
        while let turn = next() {
            if !turn.admit() { state.withLock { $0.running -= 1 } }
        }
    }

    /// Takes a place for the first turn. `nil` if there is none, or its limit is reached.
    private func next() -> Turn? {
        state.withLock { state in
            while let first = state.waiting.first {
                guard !first.turn.isCanceled else {
                    state.waiting.removeFirst()
                    continue
                }
                guard state.running < first.limit else { return nil }
                state.running += 1
                state.waiting.removeFirst()
                return first.turn
            }
            return nil
        }
    }
}

/// A call's turn to get a place.
private final class Turn: Cancelable {
    private enum State {
        case waiting
        case admitted
        case canceled
    }

    private let state = Locked(State.waiting)
    private let promise = Promise<Void>()

    func wait() async throws {
        try await CallState.canceling(self) { try await promise.take() }
    }

    /// Returns `false` if the call doesn't wait any more.
    func admit() -> Bool { end(.admitted, .success(())) }

    func cancel() { _ = end(.canceled, .failure(CancellationError())) }

    var isAdmitted: Bool { state.withLock { $0 == .admitted } }
    var isCanceled: Bool { state.withLock { $0 == .canceled } }

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
