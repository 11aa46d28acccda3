/// A value that one task waits for and takes. Only the first result counts.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        /// Removed when it is taken, because dropping a response body cancels it.
        var result: Result<Value, any Error>?
        var isGiven = false
        var waiter: Waiter?
    }

    private let state = Locked(State())

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
