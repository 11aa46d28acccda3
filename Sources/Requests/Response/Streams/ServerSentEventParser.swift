import Foundation

/// Makes events of the lines of a `text/event-stream`.
///
/// Specification: WHATWG HTML §9.2.6.
struct ServerSentEventParser: StreamParser {
    private var lines: LineParser
    private let maximumBytes: Int
    private var isAtStart = true

    /// Each line of the data, with an LF behind it.
    private var data: [UInt8] = []
    private var event = ""
    /// Becomes ``lastEventID`` with the event that it belongs to.
    private var id: String

    /// Where to go on after this stream.
    private(set) var lastEventID: String

    /// How long to wait after this stream; `nil` where it does not say.
    private(set) var retry: Duration?

    /// - Parameters:
    ///   - maximumBytes: How much data an event may have, and how long a line may be.
    ///   - lastEventID: The identifier of the stream that this one goes on with.
    init(upTo maximumBytes: Int, lastEventID: String = "") {
        self.lines = LineParser(upTo: maximumBytes)
        self.maximumBytes = maximumBytes
        self.id = lastEventID
        self.lastEventID = lastEventID
    }

    mutating func append(_ chunk: Data) { lines.append(chunk) }

    // The lines are not finished: a line without an end, and an event without an empty line, are discarded.
    mutating func finish() {}

    mutating func next() throws(TransportError) -> ServerSentEvent? {
        while var line = try lines.next() {
            if isAtStart, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
            isAtStart = false
            guard line.isEmpty else {
                try process(line)
                continue
            }
            if let event = dispatch() { return event }
        }
        return nil
    }

    private mutating func process(_ line: ArraySlice<UInt8>) throws(TransportError) {
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        // A comment has no name, and so is none of the fields.
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

    /// Digits alone, as a duration of at most a century: no clock can wait for all that digits can say.
    private static func milliseconds(_ digits: ArraySlice<UInt8>) -> Duration? {
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        return Double(String(decoding: digits, as: UTF8.self)).map {
            .seconds(min($0 / 1000, Timeouts.longestInterval))
        }
    }
}
