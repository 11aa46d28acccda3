/// An event of a `text/event-stream`.
///
/// Specification: WHATWG HTML §9.2.
public struct ServerSentEvent: Hashable, Sendable {
    /// The type. Default: `message`.
    public var event: String

    /// The data, with its lines joined by LF.
    public var data: String

    /// The last identifier of the stream, from this event or an earlier one. Empty if there is none.
    ///
    /// `Client.events(for:lastEventID:retries:upTo:)` sends it to continue after this event.
    public var id: String

    /// The last wait before a reconnection that the stream asked for. `nil` if it didn't.
    public var retry: Duration?

    /// Creates an event.
    public init(event: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.event = event
        self.data = data
        self.id = id
        self.retry = retry
    }
}
