extension CallMachine {
    /// The point at which a call has its result. Until then, a failure may be retried. Afterwards the caller gets it.
    public enum Commit: Sendable, Hashable {
        /// When the head has arrived. The caller reads the body.
        case head
        /// When the first element of the body is complete. The body that the caller reads starts with it.
        case firstElement(Framing)
        /// When the body is complete in memory. A body of more bytes fails.
        case end(maximumBytes: Int)
        /// When the body is complete in a file.
        case file
    }

    /// The next step of a driver. The event after the colon reports its result.
    public enum Action: Sendable {
        /// Make a flow of the settings' authentication, and call its `start` with the request:
        /// ``Event/authenticated(_:)``.
        case authenticate(PreparedRequest)
        /// Call the flow's `next` with the head: ``Event/challenged(_:)``.
        indirect case challenge(ResponseHead)
        /// Send the request once, in the time that is left: ``Event/response(_:isDecoded:)``.
        case send(PreparedRequest, within: Duration?)
        /// Read the body of the response: ``Event/received(bytes:)``.
        case receive(Commit)
        /// Read and drop the rest of the body. If that exceeds the bytes or the time, close the connection:
        /// ``Event/discarded``.
        case discard(upTo: Int, within: Duration)
        /// Wait: ``Event/waited``.
        case wait(Duration)
        /// Return the response, after the heads of the earlier ones.
        case deliver(history: [ResponseHead])
        /// Throw the error, and close the connection of the response if there is one.
        case fail(any Error)
    }

    /// The result of an action.
    public enum Event: Sendable {
        /// The call begins.
        case begin
        /// The flow has started with this request.
        case authenticated(PreparedRequest)
        /// The flow's next step after the response.
        indirect case challenged(AuthenticationProvider.Step)
        /// The head of the response. `isDecoded` says that the transport decoded a content encoding.
        case response(ResponseHead, isDecoded: Bool = false)
        /// The body was read up to the commit point.
        case received(bytes: Int64)
        /// The body was read or closed.
        case discarded
        /// The time is over.
        case waited
        /// The action failed, after this number of bytes of a body.
        case failed(any Error, receivedBytes: Int64 = 0)
    }
}
