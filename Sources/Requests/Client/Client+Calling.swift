import Foundation

extension Client {
    /// A call that was begun with ``Client/send(_:on:completion:)``.
    public struct Handle: Sendable {
        fileprivate let task: Task<Void, Never>

        /// Ends the call, retries and waits included; its completion gets `CancellationError`.
        public func cancel() {
            task.cancel()
        }
    }

    /// Sends a request and decodes the response, in the manner of callbacks.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - queue: Where the completion runs.
    ///   - completion: Gets the result, once, whatever happens.
    /// - Returns: What cancels the call. Dropping it does not.
    @discardableResult
    public func send<R: RequestConvertible>(
        _ request: R,
        on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<R.Resource, any Error>) -> Void
    ) -> Handle {
        Handle(
            task: Task {
                let result = await self.result(of: request)
                queue.async { completion(result) }
            }
        )
    }

    /// Sends a request and gives the decoded response or the error.
    public func result<R: RequestConvertible>(of request: R) async -> Result<R.Resource, any Error> {
        do {
            return .success(try await send(request))
        } catch {
            return .failure(error)
        }
    }

    /// Cancels all calls of this client and its copies, however they were begun.
    ///
    /// It does so by cancelling the tasks that wait for them; a task that waits in a call that way is cancelled as a
    /// whole. A wait between two connections of ``events(for:lastEventID:retries:upTo:)`` is ended too. Bodies that are
    /// read as streams are not part of a call: ``ResponseBody/cancel()`` ends them.
    public func cancelAll() {
        state.cancelAll()
    }
}
