import Dispatch
import Requests

extension Client {
    /// Sends a request and returns the decoded response or the error.
    public func result<R: PreparableRequest>(of request: R) async -> Result<R.Resource, any Error> {
        await Result { () async throws in try await send(request) }
    }

    /// Sends a request, decodes the response, and calls a completion handler.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - queue: The queue of the completion handler.
    ///   - completion: Receives the result exactly once.
    /// - Returns: The task of the call. Canceling it makes the call fail with `CancellationError`; dropping it doesn't.
    @discardableResult
    public func send<R: PreparableRequest>(
        _ request: R,
        on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<R.Resource, any Error>) -> Void
    ) -> Task<Void, Never> {
        Task {
            let result = await result(of: request)
            queue.async { completion(result) }
        }
    }

    /// Cancels all calls in progress of this client and its copies, however they were started.
    ///
    /// The calls throw `CancellationError`, but the tasks that made them aren't canceled. It also ends the waits
    /// between the connections of ``events(for:lastEventID:retries:upTo:)``. A body that is read as a stream
    /// isn't part of a call. End it with ``ResponseBody/cancel()``.
    public func cancelAll() {
        runner.state.calls.cancelAll()
        runner.state.background.cancelAll()
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
