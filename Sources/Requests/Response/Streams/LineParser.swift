import Foundation

/// Cuts bytes into lines, which end with LF, CR or CRLF. A last line needs no end.
struct LineParser: StreamParser {
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private let maximumBytes: Int
    /// What of the chunk is still to be looked at.
    private var rest = Data()
    /// The start of a line whose end is in no chunk so far.
    private var start = Data()
    /// Whether a CR was the last byte: it has ended its line, and an LF after it ends none.
    private var isAfterCarriageReturn = false
    private var isFinished = false

    /// - Parameter maximumBytes: How long a line may be, its end apart.
    init(upTo maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    mutating func append(_ chunk: Data) {
        rest = chunk
    }

    mutating func finish() {
        isFinished = true
    }

    /// - Throws: ``TransportError/Code/tooLarge`` as soon as a line is too long.
    mutating func next() throws(TransportError) -> Data? {
        if isAfterCarriageReturn, let first = rest.first {
            isAfterCarriageReturn = false
            if first == LineParser.lineFeed { rest = rest.dropFirst() }
        }
        let count = rest.withUnsafeBytes { bytes in
            bytes.firstIndex { $0 == LineParser.lineFeed || $0 == LineParser.carriageReturn }
        }
        guard start.count + (count ?? rest.count) <= maximumBytes else {
            throw .partTooLarge("a line", maximumBytes)
        }
        guard let count else {
            start.append(rest)
            rest = Data()
            return isFinished ? takeStart() : nil
        }
        let end = rest.startIndex + count
        let line = rest[..<end]
        isAfterCarriageReturn = rest[end] == LineParser.carriageReturn
        rest = rest[(end + 1)...]
        guard !start.isEmpty else { return line }
        start.append(line)
        return takeStart()
    }

    private mutating func takeStart() -> Data? {
        defer { start = Data() }
        return start.isEmpty ? nil : start
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
