/// A response: its head and what came after it.
public struct Response<Content: Sendable>: Sendable {
    /// Status, header, URL and version.
    public var head: ResponseHead

    /// The body, as a stream or decoded.
    public var content: Content

    /// The heads of the responses before this one, oldest first: redirects and challenges that were followed.
    public var history: [ResponseHead]

    /// Creates a response.
    public init(head: ResponseHead, content: Content, history: [ResponseHead] = []) {
        self.head = head
        self.content = content
        self.history = history
    }
}

extension Response: CustomStringConvertible {
    /// Status and URL, never the content.
    public var description: String { head.description }
}
