import Requests
import RequestsClient

/// Reads the heads of a response, line by line as libcurl hands them over, and then the trailers.
///
/// Specification: RFC 9112 §4, §5.
struct HeadReader: ~Copyable {
    private static let usualFields = 12

    /// What the status line said; `nil` before it.
    private(set) var version: HTTPVersion?
    private(set) var statusCode = 0
    private var finished: [Field] = []
    /// The value of the last field while folded lines go on with it: a field for each of them would be a copy for each.
    private var unfolded: String?
    private var lineCount = 0
    /// How large the head is, with those before it.
    private(set) var size = 0
    /// A head that was read before, and whether this one is the same so far.
    private var known: KnownHead?
    private(set) var isKnown: Bool
    /// The lines of one that is not, to know it the next time.
    private var lines = HeadLines()

    /// - Parameter size: That of the informational heads before: a flood of them has to end, too.
    init(known: KnownHead? = nil, after size: Int = 0) {
        self.size = size
        self.known = known
        self.isKnown = known != nil
    }

    /// The fields that have been read.
    var header: Header {
        mutating get {
            if isKnown, let known { return known.header }
            finishLast()
            return Header(finished)
        }
    }

    /// Whether another head follows: switching protocols is final (RFC 9110 §15.2).
    var isInformational: Bool { (100..<200).contains(statusCode) && statusCode != 101 }

    /// Whether the status line was read, and nothing else.
    var isAtFirstField: Bool { lineCount == 1 }

    /// A head that is complete and in order, to know it the next time; `nil` where it is too large or has folded lines.
    var memory: KnownHead? {
        mutating get {
            if isKnown { return known }
            let header = header
            guard let version, lines.count == lineCount, header.count == lineCount - 2 else { return nil }
            return KnownHead(lines, version: version, statusCode: statusCode, header: header)
        }
    }

    /// Takes a line, whole with its end.
    ///
    /// - Returns: Whether it is the empty line at the end.
    mutating func read(_ line: UnsafeRawBufferPointer) throws(HeadFault) -> Bool {
        let number = lineCount
        (lineCount, size) = (number + 1, size + line.count)
        guard size <= Header.maximumSize else { throw .tooLarge }
        let knownLine = known.flatMap { $0.lines.has(line, at: number) ? $0 : nil }
        if isKnown, let knownLine {
            (version, statusCode) = (knownLine.version, knownLine.statusCode)
            return knownLine.isEnd(number)
        }
        if isKnown { partWays(at: number) }
        lines.append(line)
        guard let knownLine else { return try take(HeadLine(line)) }
        if knownLine.isEnd(number) { return true }
        try append(knownLine.header[number - 1])
        return false
    }

    /// Goes on with what was the same as in the known head, now that a line is not.
    private mutating func partWays(at number: Int) {
        guard let known else { return }
        isKnown = false
        lines = HeadLines(number, of: known.lines)
        finished.reserveCapacity(HeadReader.usualFields)
        finished += known.header.prefix(max(0, number - 1))
    }

    private mutating func take(_ line: HeadLine) throws(HeadFault) -> Bool {
        guard version != nil else {
            try readStatus(line)
            return false
        }
        if line.isEmpty { return true }
        if line.isFolded { try unfold(line) } else { try append(try line.field) }
        return false
    }

    /// Takes a line, whole with its end.
    mutating func read(_ bytes: [UInt8]) throws(HeadFault) -> Bool {
        let result = bytes.withUnsafeBytes { bytes in Result { () throws(HeadFault) in try read(bytes) } }
        return try result.get()
    }

    /// Goes on with the trailers, whose size has a limit of its own.
    mutating func beginTrailers() {
        (finished, unfolded, size, known, isKnown) = ([], nil, 0, nil, false)
    }

    private mutating func readStatus(_ line: HeadLine) throws(HeadFault) {
        guard let status = line.status else {
            throw .malformed("the status line \(Redaction.quoted(line.text)) is not one of HTTP")
        }
        (version, statusCode) = status
        finished.reserveCapacity(HeadReader.usualFields)
    }

    private mutating func append(_ field: Field) throws(HeadFault) {
        finishLast()
        finished.append(field)
        if finished.count > Header.maximumFields { throw .tooLarge }
    }

    private mutating func finishLast() {
        guard let value = unfolded.take(), let last = finished.popLast() else { return }
        finished.append(Field(name: last.name, trimmedValue: value))
    }

    /// A line that starts with white space goes on with the value before it (RFC 9112 §5.2).
    private mutating func unfold(_ line: HeadLine) throws(HeadFault) {
        guard let last = finished.last else { throw .foldedStart }
        // Libcurl has read the line before as if it were all.
        if last.name == .contentLength || last.name == .transferEncoding { throw .folded(last.name.rawValue) }
        guard line.isFieldValue else { throw .lineBreak(in: last.name.rawValue) }
        let text = line.trimmed.text
        guard !text.isEmpty else { return }
        if unfolded == nil { unfolded = last.value }
        if unfolded?.isEmpty == false { unfolded?.append(" ") }
        unfolded?.append(text)
    }
}

/// What is wrong with a head.
enum HeadFault: Error {
    case malformed(String)
    case tooLarge

    static let startsFolded = "the response's head starts with a folded line"
    static let foldedStart = HeadFault.malformed(startsFolded)

    static func folded(_ name: String) -> HeadFault { .malformed("the response's field \(name) is folded") }

    static func lineBreak(in name: String) -> HeadFault {
        .malformed("the value of the response's field \(name) contains a line break or NUL")
    }
}
