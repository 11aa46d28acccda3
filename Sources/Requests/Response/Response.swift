/// A response: its head and what came after it.
public struct Response<Content: Sendable>: Sendable {
    /// Status, header, URL and version.
    public var head: ResponseHead

    /// The body, as a stream or decoded.
    public var content: Content

    /// The heads of the responses before this one, oldest first: redirects and challenges that were followed.
    public var history: [ResponseHead]

    /// What the exchange took, as far as it had come when this value was made; `nil` where the transport does not
    /// measure. For a body that is still being read, ``ResponseBody/metrics`` goes on.
    public var metrics: TransferMetrics?

    /// Creates a response.
    public init(
        head: ResponseHead,
        content: Content,
        history: [ResponseHead] = [],
        metrics: TransferMetrics? = nil
    ) {
        self.head = head
        self.content = content
        self.history = history
        self.metrics = metrics
    }
}

extension Response: CustomStringConvertible {
    /// Status and URL, never the content.
    public var description: String { head.description }
}
