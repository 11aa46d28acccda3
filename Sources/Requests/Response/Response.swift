/// A response: its head and its body or decoded value.
public struct Response<Content: Sendable>: Sendable {
    /// The status, header, URL and version.
    public var head: ResponseHead

    /// The body, or the value that was decoded from it.
    public var content: Content

    /// The heads of earlier responses of the call, oldest first: redirects and authentication challenges.
    public var history: [ResponseHead]

    /// The measurements of the last attempt so far. `nil` if the transport doesn't measure.
    ///
    /// While a body is being read, use the body's own metrics.
    public var metrics: TransferMetrics? {
        get { boxedMetrics?.value }
        set { boxedMetrics = newValue.map { CopyOnWrite($0) } }
    }

    @usableFromInline package var boxedMetrics: TransferMetrics.Boxed?

    /// The client's validation, for a response with an unread body. `nil` if no client created the response.
    package var validation: CopyOnWrite<ResponseValidation>?

    /// Creates a response.
    public init(
        head: ResponseHead,
        content: Content,
        history: [ResponseHead] = [],
        metrics: TransferMetrics? = nil
    ) {
        self.init(head: head, content: content, history: history, boxedMetrics: metrics.map { CopyOnWrite($0) })
    }

    @inlinable package init(
        head: ResponseHead,
        content: Content,
        history: [ResponseHead] = [],
        boxedMetrics: TransferMetrics.Boxed?
    ) {
        self.head = head
        self.content = content
        self.history = history
        self.boxedMetrics = boxedMetrics
    }

    /// The status code.
    public var statusCode: Int { head.statusCode }

    /// The header.
    public var header: Header { head.header }

    /// The URL of the request that got the response. Differs from the original one after a redirect.
    public var url: RequestURL { head.url }

    /// Returns a response with the same head and measurements, and other content.
    @inlinable package func replacing<Other>(_ content: Other) -> Response<Other> {
        Response<Other>(head: head, content: content, history: history, boxedMetrics: boxedMetrics)
    }
}

extension Response: CustomStringConvertible {
    /// The status and the URL, never the content.
    public var description: String { head.description }
}
