/// An event of a `text/event-stream`.
///
/// Specification: WHATWG HTML §9.2.
public struct ServerSentEvent: Hashable, Sendable {
    /// The event's type; `message` where the stream names none.
    public var event: String

    /// The event's data, its lines joined with LF.
    public var data: String

    /// The last identifier that the stream has given, by this event or one before; empty where it has given none.
    ///
    /// It says where to go on: ``Client/events(for:lastEventID:retries:upTo:)`` sends it when it connects again.
    public var id: String

    /// How long to wait before connecting again, as the stream has said by now; `nil` where it has not.
    public var retry: Duration?

    /// Creates an event.
    public init(event: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.event = event
        self.data = data
        self.id = id
        self.retry = retry
    }
}
