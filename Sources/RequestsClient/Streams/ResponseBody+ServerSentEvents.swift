import Requests

extension ResponseBody {
    /// The events of a `text/event-stream`, as they arrive. An event may have up to 1 MiB.
    ///
    /// ```swift
    /// for try await event in response.content.serverSentEvents { print(event.event, event.data) }
    /// ```
    ///
    /// Behaves like ``serverSentEvents(upTo:)``.
    public var serverSentEvents: some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        serverSentEvents(upTo: 1 << 20)
    }

    /// Returns the events of a `text/event-stream`, as they arrive.
    ///
    /// The sequence ends with the body. Use ``Client/events(for:lastEventID:retries:upTo:)`` to reconnect. An
    /// incomplete event at the end is discarded. The status and `Content-Type` aren't checked.
    ///
    /// The sequence throws the errors of the body, and `TransportError.Code.tooLarge` if an event is too large. An
    /// error ends the sequence and cancels the body.
    ///
    /// - Parameter maximumBytes: The maximum size of an event's data, and of a line, in bytes.
    ///
    /// Specification: WHATWG HTML §9.2.6.
    public func serverSentEvents(
        upTo maximumBytes: Int
    ) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        ParsedBody(body: self, parser: ServerSentEventParser(upTo: maximumBytes))
    }
}
