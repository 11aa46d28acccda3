import Requests
import RequestsClient

/// A line-by-line parser for the heads of a response, and then for its trailers.
///
/// Specification: RFC 9112 §4, §5.
struct HeadReader: ~Copyable {
    private static let usualFields = 12

    /// The version in the status line. `nil` until the status line was read.
    private(set) var version: HTTPVersion?
    private(set) var statusCode = 0
    private var finished: [Field] = []
    /// The value of the last field while folded lines continue it. A new field for each line would copy it each time.
    private var unfolded: String?
    private var lineCount = 0
    /// The size of the head and of the informational heads before it, in bytes.
    private(set) var size = 0

    /// The cache, until another reader changes it.
    private var cache: HeadCache?
    private var revision = 0
    /// The cached head, as long as all lines are equal to its lines.
    private var equal: HeadCache.Head?

    /// - Parameter size: The size of the informational heads before this one, because a flood of them must end, too.
    init(_ cache: HeadCache? = nil, after size: Int = 0) {
        self.size = size
        self.cache = cache
    }

    var header: Header {
        mutating get {
            if let equal { return equal.header }
            finishLast()
            return Header(finished)
        }
    }

    /// Whether another head follows this one. 101 is final (RFC 9110 §15.2).
    var isInformational: Bool { (100..<200).contains(statusCode) && statusCode != 101 }

    var isAtFirstField: Bool { lineCount == 1 }

    /// Returns the complete head, and stores it for the next reader.
    mutating func finish() -> HeadCache.Head {
        if let equal { return equal }
        let header = header
        let head = HeadCache.Head(header: header, framing: Framing(header))
        if let cache, cache.revision == revision { cache.store(head, lineCount: lineCount) }
        return head
    }

    /// Reads a whole line with its end.
    ///
    /// - Returns: Whether it is the empty line at the end.
    mutating func read(_ line: UnsafeRawBufferPointer) throws(HeadFault) -> Bool {
        let number = lineCount
        (lineCount, size) = (number + 1, size + line.count)
        guard size <= Header.maximumSize else { throw .tooLarge }
        guard let cache else { return try unsafe take(HeadLine(line)) }
        if number == 0 { (revision, equal) = (cache.revision, cache.head) }
        guard cache.revision == revision else {
            diverge(at: number)
            self.cache = nil
            return try unsafe take(HeadLine(line))
        }
        guard unsafe cache.has(line, at: number) else {
            diverge(at: number)
            return try unsafe replace(line, at: number, in: cache)
        }
        if number == 0 { (version, statusCode) = cache.status }
        if equal == nil, number > 0 {
            guard let field = cache.field(at: number) else { return try unsafe take(HeadLine(line)) }
            try append(field)
        }
        return unsafe HeadLine(line).isEmpty
    }

    /// Keeps the cached fields so far when the first line differs.
    private mutating func diverge(at number: Int) {
        guard let equal = equal.take() else { return }
        finished.reserveCapacity(HeadReader.usualFields)
        finished += equal.header.prefix(max(0, number - 1))
    }

    private mutating func replace(
        _ line: UnsafeRawBufferPointer,
        at number: Int,
        in cache: HeadCache
    ) throws(HeadFault) -> Bool {
        let count = finished.count
        let isEnd = try unsafe take(HeadLine(line))
        if number == 0, let version {
            unsafe cache.store(line, status: (version, statusCode))
        } else {
            unsafe cache.store(line, finished.count > count ? finished.last : nil, at: number)
        }
        revision = cache.revision
        return isEnd
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

    mutating func read(_ bytes: [UInt8]) throws(HeadFault) -> Bool {
        let result = unsafe bytes.withUnsafeBytes { bytes in Result { () throws(HeadFault) in try unsafe read(bytes) } }
        return try result.get()
    }

    /// Continues with the trailers, whose size is limited separately.
    mutating func beginTrailers() {
        (finished, unfolded, size, cache, equal) = ([], nil, 0, nil, nil)
    }

    private mutating func readStatus(_ line: HeadLine) throws(HeadFault) {
        guard line.isFieldValue, let status = line.status else {
            throw .malformed("the status line \(Redaction.quoted(line.text)) isn't valid HTTP")
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

    /// Appends a line that starts with white space to the value before it (RFC 9112 §5.2).
    private mutating func unfold(_ line: HeadLine) throws(HeadFault) {
        guard let last = finished.last else { throw .foldedStart }
        // Folding would change a value that libcurl has already used.
        if last.name == .contentLength || last.name == .transferEncoding { throw .folded(last.name.rawValue) }
        guard line.isFieldValue else { throw .lineBreak(in: last.name.rawValue) }
        let text = line.trimmed.text
        guard !text.isEmpty else { return }
        if unfolded == nil { unfolded = last.value }
        if unfolded?.isEmpty == false { unfolded?.append(" ") }
        unfolded?.append(text)
    }
}

enum HeadFault: Error {
    case malformed(String)
    case tooLarge

    static let startsFolded = "the response's head starts with a folded line"
    static let foldedStart = HeadFault.malformed(startsFolded)

    static func folded(_ name: String) -> HeadFault { .malformed("the response folds the field \(name)") }

    static func lineBreak(in name: String) -> HeadFault {
        .malformed("the value of the response's field \(name) contains a line break or NUL")
    }
}
