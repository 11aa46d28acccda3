/// Limits the calls of a client that run at the same time. The others wait in order.
final class CallQueue: Sendable {
    private struct State {
        var running = 0
        var waiting: ArraySlice<(limit: Int, turn: Promise<Void>)> = []
        /// The turns that wait and aren't canceled.
        var open: Set<ObjectIdentifier> = []
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
    func run<Value>(_ limit: Int, _ call: () async throws -> Value) async throws -> Value {
        if let turn = enter(max(limit, 1)) {
            do {
                try await turn.wait()
            } catch {
                leave(turn)
                throw error
            }
        }
        defer { leave() }
        return try await TaskMark.run(of: ObjectIdentifier(self), call)
    }

    /// Returns `nil` if the call may run, and its turn otherwise.
    private func enter(_ limit: Int) -> Promise<Void>? {
        state.withLock { state in
            guard state.running >= limit || !state.waiting.isEmpty else {
                state.running += 1
                return nil
            }
            let turn = Promise<Void>()
            state.waiting.append((limit, turn))
            state.open.insert(ObjectIdentifier(turn))
            return turn
        }
    }

    /// Frees a place, and admits the first calls that wait, up to their limits.
    ///
    /// - Parameter canceled: A turn, which has a place only if it isn't open any more.
    private func leave(_ canceled: Promise<Void>? = nil) {
        let admitted = state.withLock { state in
            if canceled.flatMap({ state.open.remove(ObjectIdentifier($0)) }) == nil { state.running -= 1 }
            var admitted: [Promise<Void>] = []
            while let first = state.waiting.first {
                if state.open.contains(ObjectIdentifier(first.turn)) {
                    guard state.running < first.limit else { break }
                    state.running += 1
                    state.open.remove(ObjectIdentifier(first.turn))
                    admitted.append(first.turn)
                }
                state.waiting.removeFirst()
            }
            return admitted
        }
        for turn in admitted { turn.give(.success(())) }
    }
}
