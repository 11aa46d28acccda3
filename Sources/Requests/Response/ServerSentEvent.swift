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

    /// The last wait before a reconnection that the stream asked for. `nil` if it asked for none.
    public var retry: Duration?

    /// Creates an event.
    public init(event: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.event = event
        self.data = data
        self.id = id
        self.retry = retry
    }
}

/// Parses a `text/event-stream`.
///
/// Specification: WHATWG HTML §9.2.6.
package struct ServerSentEventParser: StreamParser {
    private var lines: LineParser
    private let maximumBytes: Int
    private let acceptsOpenEnd: Bool
    private var isAtStart = true
    private var isFinished = false

    /// The data of the current event, with an LF after each line.
    private var data: [UInt8] = []
    private var event = ""
    /// The identifier of the current event, which becomes ``lastEventID`` at its end.
    private var id: String

    /// Where to continue after this stream.
    package private(set) var lastEventID: String

    /// The wait before the next connection. `nil` if the stream doesn't specify it.
    package private(set) var retry: Duration?

    /// - Parameters:
    ///   - maximumBytes: The maximum size of an event's data, and of a line.
    ///   - lastEventID: The last identifier of the previous stream.
    ///   - acceptsOpenEnd: Whether the last event counts without its empty line, which some servers forget. The
    ///     specification discards it, so that a reconnection gets it as a whole. Default: `false`.
    package init(upTo maximumBytes: Int, lastEventID: String = "", acceptsOpenEnd: Bool = false) {
        self.lines = LineParser(upTo: maximumBytes)
        self.maximumBytes = maximumBytes
        self.acceptsOpenEnd = acceptsOpenEnd
        self.id = lastEventID
        self.lastEventID = lastEventID
    }

    package mutating func append(_ chunk: Data) { lines.append(chunk) }

    package mutating func finish() {
        guard acceptsOpenEnd else { return }
        lines.finish()
        isFinished = true
    }

    package mutating func next() throws(TransportError) -> ServerSentEvent? {
        while var line = try lines.next() {
            if isAtStart, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
            isAtStart = false
            guard line.isEmpty else {
                try process(line)
                continue
            }
            if let event = dispatch() { return event }
        }
        return isFinished ? dispatch() : nil
    }

    private mutating func process(_ line: ArraySlice<UInt8>) throws(TransportError) {
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        // A comment has an empty name.
        let name = line[..<(colon ?? line.endIndex)]
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: name, as: UTF8.self) {
        case "data":
            guard data.count + value.count <= maximumBytes else { throw .partTooLarge("an event", maximumBytes) }
            data += value
            data.append(UInt8(ascii: "\n"))
        case "event": event = String(decoding: value, as: UTF8.self)
        case "id": if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        case "retry": retry = ServerSentEventParser.milliseconds(value) ?? retry
        default: break
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        lastEventID = id
        defer { (data, event) = ([], "") }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            event: event.isEmpty ? "message" : event,
            data: String(decoding: data.dropLast(), as: UTF8.self),
            id: id,
            retry: retry
        )
    }

    /// Parses digits as a duration of at most a century. Clocks can't wait for every number.
    private static func milliseconds(_ digits: ArraySlice<UInt8>) -> Duration? {
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        return Double(String(decoding: digits, as: UTF8.self)).map {
            .seconds(min($0 / 1000, Timeouts.longestInterval))
        }
    }
}
