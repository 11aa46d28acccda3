import Requests

/// The calls in progress, which can all be canceled.
final class RunningCalls: Sendable {
    private struct State {
        /// By position, because finding a call then takes no hashing.
        var scopes: [CallScope?] = []
        var freePositions: [Int] = []
    }

    private let state = Locked(State())

    /// Runs a call.
    func run<Result: Sendable>(_ call: () async throws -> Result) async throws -> Result {
        let scope = CallScope()
        let position = add(scope)
        defer { remove(position) }
        return try await CallScope.$current.withValue(scope, operation: call)
    }

    /// Cancels the calls that are in progress now.
    ///
    /// Canceling runs code of callers, so it happens outside the lock.
    func cancelAll() {
        for case let scope? in state.withLock({ $0.scopes }) { scope.cancel() }
    }

    private func add(_ scope: CallScope) -> Int {
        state.withLock { state in
            guard let position = state.freePositions.popLast() else {
                state.scopes.append(scope)
                return state.scopes.count - 1
            }
            state.scopes[position] = scope
            return position
        }
    }

    private func remove(_ position: Int) {
        state.withLock { state in
            state.scopes[position] = nil
            state.freePositions.append(position)
        }
    }
}
