import Requests

/// Reads the heads of a response, line by line as libcurl hands them over, and then the trailers.
///
/// Specification: RFC 9112 §4, §5.
struct HeadReader {
    /// What the status line said; `nil` before it.
    private(set) var version: HTTPVersion?
    private(set) var statusCode = 0
    private(set) var fields: [Field] = []
    private var size = 0

    /// Whether another head follows: switching protocols is final (RFC 9110 §15.2).
    var isInformational: Bool { (100..<200).contains(statusCode) && statusCode != 101 }

    /// Takes a line, whole with its end.
    ///
    /// - Returns: Whether it is the empty line at the end.
    mutating func read(_ bytes: UnsafeRawBufferPointer) throws(HeadFault) -> Bool {
        size += bytes.count
        guard size <= Header.maximumSize, fields.count <= Header.maximumFields else { throw .tooLarge }
        let line = HeadLine(bytes)
        guard version != nil else {
            try readStatus(line)
            return false
        }
        if line.isEmpty { return true }
        fields.append(line.isFolded ? try unfolded(line) : try line.field)
        return false
    }

    /// Goes on with the trailers, whose size has a limit of its own.
    mutating func beginTrailers() {
        (fields, size) = ([], 0)
    }

    private mutating func readStatus(_ line: HeadLine) throws(HeadFault) {
        guard let status = line.status else {
            throw .malformed("the status line \(Redaction.quoted(line.text)) is not one of HTTP")
        }
        (version, statusCode) = status
        fields.reserveCapacity(12)
    }

    /// A line that starts with white space goes on with the value before it (RFC 9112 §5.2).
    private mutating func unfolded(_ line: HeadLine) throws(HeadFault) -> Field {
        guard let last = fields.popLast() else { throw .malformed("the response's head starts with a folded line") }
        guard line.isFieldValue else { throw .lineBreak(in: last.name.rawValue) }
        return Field(name: last.name, value: "\(last.value) \(line.trimmed.text)")
    }
}

/// What is wrong with a head.
enum HeadFault: Error {
    case malformed(String)
    case tooLarge

    static func lineBreak(in name: String) -> HeadFault {
        .malformed("the value of the response's field \(name) contains a line break or NUL")
    }
}
