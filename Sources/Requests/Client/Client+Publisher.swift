#if canImport(Combine)
import Combine

extension Client {
    /// Sends a request for each subscriber, and publishes the decoded response or the error.
    ///
    /// Cancelling the subscription cancels the call. Values arrive on no particular thread: `receive(on:)` says which.
    public func publisher<R: RequestConvertible>(for request: R) -> AnyPublisher<R.Resource, any Error> {
        Deferred {
            var task: Task<Void, Never>?
            // A future runs its closure at once, keeps its result, and can be resolved on any thread.
            let future = Future<R.Resource, any Error> { promise in
                nonisolated(unsafe) let promise = promise
                task = Task { promise(await self.result(of: request)) }
            }
            return future.handleEvents(receiveCancel: { [task] in task?.cancel() })
        }
        .eraseToAnyPublisher()
    }
}
#endif
