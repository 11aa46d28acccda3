import Requests

/// The data of one attempt that isn't part of the message.
public struct SendContext: Sendable {
    /// The time that is left of the call's total timeout. `nil` if only the request's own timeouts limit the exchange.
    ///
    /// The request keeps its total timeout, so that the requests of one call are equal. The shorter of the two applies.
    public var remaining: Duration?

    /// The number of the attempt, starting at 1. Every retry adds one.
    public var attempt: Int

    /// Receives the events of the exchange, on the transport's thread. A transport ignores `CallOptions.observer`.
    public var observer: (@Sendable (PreparedRequest.Event) -> Void)?

    /// Creates a context. Without arguments, only the request's own timeouts limit the exchange.
    public init(
        remaining: Duration? = nil,
        attempt: Int = 1,
        observer: (@Sendable (PreparedRequest.Event) -> Void)? = nil
    ) {
        self.remaining = remaining
        self.attempt = attempt
        self.observer = observer
    }
}
