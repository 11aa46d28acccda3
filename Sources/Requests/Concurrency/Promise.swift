/// A value that one task waits for, and takes. The first that is given counts.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        /// Not kept for longer than until it is taken: a response's body is given up by letting go of it.
        var result: Result<Value, any Error>?
        var isGiven = false
        var waiter: Waiter?
    }

    private let state = Guarded(State())

    package init() {}

    package func give(_ result: Result<Value, any Error>) {
        let waiter = state.withLock { state in
            guard !state.isGiven else { return nil as Waiter? }
            (state.isGiven, state.result) = (true, result)
            return state.waiter.take()
        }
        waiter?.resume()
    }

    package func take() async throws -> Value {
        while true {
            if let result = state.withLock({ $0.result.take() }) { return try result.get() }
            await Waiter.wait { waiter in
                let isGiven = state.withLock { state in
                    if !state.isGiven { state.waiter = waiter }
                    return state.isGiven
                }
                if isGiven { waiter.resume() }
            }
        }
    }
}
