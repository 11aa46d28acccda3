import Requests

/// Reads the heads of a response, line by line as libcurl hands them over, and then the trailers.
///
/// Specification: RFC 9112 §4, §5.
struct HeadReader {
    /// What the status line said; `nil` before it.
    private(set) var version: HTTPVersion?
    private(set) var statusCode = 0
    private var finished: [Field] = []
    /// The value of the last field while folded lines go on with it: a field for each of them would be a copy for each.
    private var unfolded: String?
    private var size = 0

    /// The fields that have been read.
    var fields: [Field] {
        var copy = self
        copy.finishLast()
        return copy.finished
    }

    /// Whether another head follows: switching protocols is final (RFC 9110 §15.2).
    var isInformational: Bool { (100..<200).contains(statusCode) && statusCode != 101 }

    /// Whether the status line was read, and no field yet.
    var isAtFirstField: Bool { version != nil && finished.isEmpty }

    /// Takes a line, whole with its end.
    ///
    /// - Returns: Whether it is the empty line at the end.
    mutating func read(_ bytes: UnsafeRawBufferPointer) throws(HeadFault) -> Bool {
        size += bytes.count
        guard size <= Header.maximumSize else { throw .tooLarge }
        let line = HeadLine(bytes)
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
        (finished, unfolded, size) = ([], nil, 0)
    }

    private mutating func readStatus(_ line: HeadLine) throws(HeadFault) {
        guard let status = line.status else {
            throw .malformed("the status line \(Redaction.quoted(line.text)) is not one of HTTP")
        }
        (version, statusCode) = status
        finished.reserveCapacity(12)
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

    static let foldedStart = HeadFault.malformed("the response's head starts with a folded line")

    static func folded(_ name: String) -> HeadFault { .malformed("the response's field \(name) is folded") }

    static func lineBreak(in name: String) -> HeadFault {
        .malformed("the value of the response's field \(name) contains a line break or NUL")
    }
}
