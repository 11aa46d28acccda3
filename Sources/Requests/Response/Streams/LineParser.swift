import Foundation

/// Cuts bytes into lines, which end with LF, CR or CRLF. A last line needs no end.
struct LineParser: StreamParser {
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private let maximumBytes: Int
    private var chunk: [UInt8] = []
    /// Where the next line begins in the chunk.
    private var position = 0
    /// Where the next LF is in the chunk. Kept: to look for it before each of many CR takes time without bound.
    private var lineFeed = 0
    /// The start of a line whose end is in no chunk so far.
    private var start: [UInt8] = []
    /// Whether a CR was the last byte: it has ended its line, and an LF after it ends none.
    private var isAfterCarriageReturn = false
    private var isFinished = false

    /// - Parameter maximumBytes: How long a line may be, its end apart.
    init(upTo maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    mutating func append(_ chunk: Data) {
        self.chunk = Array(chunk)
        (position, lineFeed) = (0, -1)
    }

    mutating func finish() {
        isFinished = true
    }

    /// - Throws: ``TransportError/Code/tooLarge`` as soon as a line is too long.
    mutating func next() throws(TransportError) -> ArraySlice<UInt8>? {
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

    /// Where the line ends in the chunk; the chunk's end where it does not.
    private mutating func nextEnd() -> Int {
        if lineFeed < position { lineFeed = index(of: LineParser.lineFeed, before: chunk.count) }
        return index(of: LineParser.carriageReturn, before: lineFeed)
    }

    private func index(of byte: UInt8, before end: Int) -> Int {
        chunk.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base + position, Int32(byte), end - position) else {
                return end
            }
            return found - UnsafeMutableRawPointer(mutating: base)
        }
    }

    private mutating func takeStart() -> ArraySlice<UInt8> {
        defer { start = [] }
        return start[...]
    }
}

extension TransportError {
    /// - Parameter part: Which part of a streamed body.
    static func partTooLarge(_ part: String, _ maximumBytes: Int) -> TransportError {
        TransportError(
            code: .tooLarge,
            message: "\(part) of the response body is larger than \(maximumBytes) bytes; raise the limit with upTo:",
            phase: .receiving
        )
    }
}
