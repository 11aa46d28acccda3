/// How a body is divided into elements that arrive one after another.
package struct StreamElements: Sendable, Hashable {
    enum Kind: Hashable {
        case events(endIsExpected: Bool)
        case lines
    }

    let kind: Kind
    let maximumBytes: Int

    /// The events of a `text/event-stream` (WHATWG HTML §9.2.6).
    ///
    /// - Parameters:
    ///   - maximumBytes: The maximum size of an event, in bytes. Default: 1 MiB.
    ///   - endIsExpected: Whether an event says that the stream is complete, so that a body without events is
    ///     incomplete. Default: `false`.
    package static func events(upTo maximumBytes: Int = 1 << 20, endIsExpected: Bool = false) -> StreamElements {
        StreamElements(kind: .events(endIsExpected: endIsExpected), maximumBytes: maximumBytes)
    }

    /// Newline-delimited JSON.
    ///
    /// - Parameter maximumBytes: The maximum length of a line, in bytes. Default: 1 MiB.
    package static func jsonLines(upTo maximumBytes: Int = 1 << 20) -> StreamElements {
        StreamElements(kind: .lines, maximumBytes: maximumBytes)
    }

    /// Whether a response contains elements of this kind.
    package func applies(to head: ResponseHead) -> Bool {
        if case .lines = kind { true } else { head.mediaType?.matches(.eventStream) == true }
    }

    /// Finds the first element.
    package func makeSearch() -> ElementSearch {
        switch kind {
        case .events(let endIsExpected):
            ElementSearch(
                .events(ServerSentEventParser(upTo: maximumBytes, acceptsOpenEnd: true)),
                maximumBytes,
                isRequired: endIsExpected
            )
        case .lines: ElementSearch(.lines(LineParser(upTo: maximumBytes)), maximumBytes, isRequired: false)
        }
    }
}

/// Searches a body for its first complete element, which isn't decoded.
package struct ElementSearch {
    enum Parser {
        case events(ServerSentEventParser)
        case lines(LineParser)
    }

    private var parser: Parser
    private let isRequired: Bool
    private let maximumBytes: Int
    /// The number of bytes that may still come before the end of the first element, because all are kept. Comments
    /// and field names come on top of its data.
    private var rest: Int64

    init(_ parser: Parser, _ maximumBytes: Int, isRequired: Bool) {
        self.parser = parser
        self.isRequired = isRequired
        self.maximumBytes = maximumBytes
        rest = 2 * min(Int64(maximumBytes), 1 << 40) + (64 << 10)
    }

    /// Adds the next bytes.
    ///
    /// - Returns: Whether they complete an element.
    package mutating func finds(in chunk: Data) throws(TransportError) -> Bool {
        rest -= Int64(chunk.count)
        guard rest >= 0 else { throw .partTooLarge("the beginning before the first element", maximumBytes) }
        switch parser {
        case .events(var events):
            events.append(chunk)
            defer { parser = .events(events) }
            return try events.next() != nil
        case .lines(var lines):
            lines.append(chunk)
            defer { parser = .lines(lines) }
            while let line = try lines.next() {
                if !line.allSatisfy(\.isFieldWhitespace) { return true }
            }
            return false
        }
    }

    /// Ends the search at the end of the body.
    ///
    /// - Throws: ``TransportError/Code/truncated`` if the body had to contain an element.
    package mutating func finish(_ head: ResponseHead) throws(TransportError) {
        guard isRequired else { return }
        if case .events(var events) = parser {
            events.finish()
            if try events.next() != nil { return }
        }
        throw TransportError(
            code: .truncated,
            message: "the response of \(head.url) ended before its first event; send it again if that is safe",
            phase: .receiving
        )
    }
}
