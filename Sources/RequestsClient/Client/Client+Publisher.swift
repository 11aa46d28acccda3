#if canImport(Combine)
import Combine
import Requests

extension Client {
    /// Returns a publisher that sends the request once for each subscriber.
    ///
    /// It publishes the decoded response or fails with the error. Canceling the subscription cancels the call. Values
    /// arrive on any thread; use `receive(on:)` to choose one.
    public func publisher<R: PreparableRequest>(for request: R) -> AnyPublisher<R.Resource, any Error> {
        Deferred {
            var task: Task<Void, Never>?
            // Safe: `Future` runs its closure immediately and locks itself, so any thread may call its promise, once.
            let future = Future<R.Resource, any Error> { promise in
                nonisolated(unsafe) let promise = promise
                task = Task { unsafe promise(await self.result(of: request)) }
            }
            return future.handleEvents(receiveCancel: { [task] in task?.cancel() })
        }
        .eraseToAnyPublisher()
    }
}
#endif
