extension Client {
    /// The events of a server, for as long as it has any: a connection that ends or breaks is followed by another,
    /// which asks for the events after the last one.
    ///
    /// ```swift
    /// for try await event in client.events(for: api.get(.none, from: "/events")) { print(event.event, event.data) }
    /// ```
    ///
    /// Each connection is one request through all policies of the client but its retries. They are made as follows:
    ///
    /// - A connection that the server ends is followed by another after the stream's `retry`, or 100 milliseconds where
    ///   that is less, or 3 seconds where it has set none.
    /// - One that fails, or is answered with a status that `retries` names, is followed by another after that time and
    ///   the policy's wait, or that of `Retry-After`. A response that is a stream of events ends a row of failures.
    /// - Status 204 is the end. All other statuses but 200, and another `Content-Type` than `text/event-stream`, are
    ///   errors.
    /// - A request that must not be made twice, such as one with `POST` and no `Idempotency-Key`, is not made again
    ///   once a server may have acted on it: the end of its response is the end.
    ///
    /// A stream that is quiet for longer than the idle timeout (60 seconds where nobody sets it) counts as broken. For
    /// servers that send no comments in between, raise it with ``Request/timeout(after:)``. A total timeout is for each
    /// connection, and an error.
    ///
    /// Each iteration connects anew. Cancelling its task, or dropping its iterator, ends the exchange at once.
    ///
    /// The sequence throws what ``send(_:)`` throws: ``ResponseError/Code/status``,
    /// ``ResponseError/Code/contentType``, ``TransportError/Code/tooLarge`` as soon as an event is too large, and the
    /// last error when no attempt is left. An error ends it.
    ///
    /// - Parameters:
    ///   - request: The request. Its decoder is not used, but for what it reads of failures (``Request/errors(as:)``);
    ///     `Accept` and `Cache-Control` are set.
    ///   - lastEventID: Where to go on, from an earlier ``ServerSentEvent/id``; by default what the request says.
    ///   - retries: Which failures are followed by another attempt, how many of them in a row, and how long to wait on
    ///     top of the stream's `retry`. By default 10, with up to 1 second that doubles up to a minute. With `.never`
    ///     there is one connection.
    ///   - maximumBytes: How much data an event may have, in bytes; 1 MiB by default.
    ///
    /// Specification: WHATWG HTML §9.2.3, §9.2.4.
    public func events<R: RequestConvertible>(
        for request: R,
        lastEventID: String? = nil,
        retries: RetryPolicy = .exponential(limit: 10, initial: .seconds(1), maximum: .seconds(60)),
        upTo maximumBytes: Int = 1 << 20
    ) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        Events(
            client: self,
            request: request,
            start: Reconnection(policy: retries, lastEventID: lastEventID),
            maximumBytes: maximumBytes
        )
    }
}
