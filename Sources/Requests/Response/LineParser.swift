/// Parses elements from chunks of bytes. Elements can span chunks.
package protocol StreamParser<Element>: Sendable {
    associatedtype Element: Sendable

    /// Adds the next bytes. Call it only after ``next()`` returned `nil`.
    mutating func append(_ chunk: Data)

    /// Notes that there are no more bytes.
    mutating func finish()

    /// - Returns: The next element. `nil` if the bytes so far contain no other.
    mutating func next() throws -> Element?
}

/// Parses lines that end with LF, CR or CRLF. The last line doesn't need an end.
package struct LineParser: StreamParser {
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private let maximumBytes: Int
    private var chunk: [UInt8] = []
    /// The start of the next line in the chunk.
    private var position = 0
    /// The next LF in the chunk. Stored, because searching for it after each CR would take quadratic time.
    private var lineFeed = 0
    /// The start of a line that began in earlier chunks.
    private var start: [UInt8] = []
    /// Whether the last byte was a CR, so that a following LF belongs to the same line end.
    private var isAfterCarriageReturn = false
    private var isFinished = false

    /// - Parameter maximumBytes: The maximum length of a line, without its end.
    package init(upTo maximumBytes: Int) { self.maximumBytes = maximumBytes }

    package mutating func append(_ chunk: Data) {
        self.chunk = Array(chunk)
        (position, lineFeed) = (0, -1)
    }

    package mutating func finish() { isFinished = true }

    /// - Throws: ``TransportError/Code/tooLarge`` if a line is too long, even if its end is still missing.
    package mutating func next() throws(TransportError) -> ArraySlice<UInt8>? {
        if isAfterCarriageReturn, position < chunk.count {
            isAfterCarriageReturn = false
            if chunk[position] == LineParser.lineFeed { position += 1 }
        }
        let end = nextEnd()
        guard start.count + end - position <= maximumBytes else { throw .partTooLarge("a line", maximumBytes) }
        let line = chunk[position..<end]
        guard end < chunk.count else {
            start += line
            position = end
            return isFinished && !start.isEmpty ? takeStart() : nil
        }
        isAfterCarriageReturn = chunk[end] == LineParser.carriageReturn
        position = end + 1
        guard !start.isEmpty else { return line }
        start += line
        return takeStart()
    }

    /// Returns the end of the line in the chunk, or the chunk's end.
    private mutating func nextEnd() -> Int {
        if lineFeed < position { lineFeed = index(of: LineParser.lineFeed, before: chunk.count) }
        return index(of: LineParser.carriageReturn, before: lineFeed)
    }

    private func index(of byte: UInt8, before end: Int) -> Int {
        unsafe chunk.withUnsafeBytes { unsafe $0.firstIndex(of: byte, in: position..<end) } ?? end
    }

    private mutating func takeStart() -> ArraySlice<UInt8> {
        defer { start = [] }
        return start[...]
    }
}

extension TransportError {
    /// - Parameter part: The part of the streamed body.
    static func partTooLarge(_ part: String, _ maximumBytes: Int) -> TransportError {
        TransportError(
            code: .tooLarge,
            message: "\(part) of the response body is larger than \(maximumBytes) bytes; raise the limit with upTo:",
            phase: .receiving
        )
    }
}

/// Parses lines of text.
package struct TextLineParser: StreamParser {
    private var lines: LineParser

    package init(lines: LineParser) { self.lines = lines }

    package mutating func append(_ chunk: Data) { lines.append(chunk) }

    package mutating func finish() { lines.finish() }

    package mutating func next() throws(TransportError) -> String? {
        try lines.next().map { String(decoding: $0, as: UTF8.self) }
    }
}
