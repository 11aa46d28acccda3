extension ResponseBody {
    /// The events of a `text/event-stream`, as they arrive; each has at most 1 MiB.
    ///
    /// ```swift
    /// for try await event in response.content.serverSentEvents { print(event.event, event.data) }
    /// ```
    ///
    /// As ``serverSentEvents(upTo:)``.
    public var serverSentEvents: some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        serverSentEvents(upTo: 1 << 20)
    }

    /// The events of a `text/event-stream`, as they arrive.
    ///
    /// They end with the body; ``Client/events(for:lastEventID:retries:upTo:)`` connects again. An event that the body
    /// leaves incomplete is discarded. Neither status nor `Content-Type` are looked at.
    ///
    /// The sequence throws what the body throws, and ``TransportError/Code/tooLarge`` as soon as an event is too
    /// large. An error ends it and gives up the body.
    ///
    /// - Parameter maximumBytes: How much data an event may have, and how long a line may be, in bytes.
    ///
    /// Specification: WHATWG HTML §9.2.6.
    public func serverSentEvents(
        upTo maximumBytes: Int
    ) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        ParsedBody(body: self, parser: ServerSentEventParser(upTo: maximumBytes))
    }
}
