#if canImport(CRequestsCurl)
import Requests
import RequestsClient
import RequestsSystem

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
    /// The lines so far. Empty as long as they are the known head's.
    private var lines: [UInt8] = []
    /// The size of the head and of the informational heads before it, in bytes.
    private(set) var size = 0

    /// A complete head that begins with the lines so far. Servers repeat themselves, so an equal line isn't parsed, and
    /// neither are the lines after a new value.
    private var known: KnownHead?
    /// The position of its next line.
    private var knownLine = 0

    /// - Parameters:
    ///   - known: The last head.
    ///   - size: The size of the informational heads before this one, because a flood of them must end, too.
    init(_ known: KnownHead? = nil, after size: Int = 0) { (self.known, self.size) = (known, size) }

    var header: Header {
        mutating get {
            if let known { return known.header }
            finishLast()
            return Header(finished)
        }
    }

    /// Whether the response came over HTTP/2 or HTTP/3.
    var isMultiplexed: Bool { version?.isMultiplexed == true }

    /// Whether another head follows this one. 101 is final (RFC 9110 §15.2).
    var isInformational: Bool { (100..<200).contains(statusCode) && statusCode != 101 }

    var isAtFirstField: Bool { lineCount == 1 }

    /// Returns the complete head, for the next reader.
    mutating func finish() -> KnownHead {
        if let known { return known }
        let header = header
        // Each line between the first and the last must be a field.
        let isPlain = header.count == lineCount - 2 && lines.count <= KnownHead.maximumSize
        return KnownHead(isPlain ? lines : [], (version ?? .http1_1, statusCode), header)
    }

    /// Reads a whole line with its end.
    ///
    /// - Returns: Whether it is the empty line at the end.
    mutating func read(_ line: UnsafeRawBufferPointer) throws(HeadFault) -> Bool {
        (lineCount, size) = (lineCount + 1, size + line.count)
        guard size <= Header.maximumSize else { throw .tooLarge }
        if let known {
            let isEqual = unsafe known.has(line, at: knownLine)
            if lineCount == 1, isEqual { (version, statusCode) = known.status }
            if let other = isEqual ? known : unsafe known.replacing(lineCount - 2, at: knownLine, with: line) {
                if !isEqual { self.known = other }
                knownLine += line.count
                return unsafe HeadLine(line).isEmpty
            }
            lines = Array(known.lines[..<knownLine])
            finished.reserveCapacity(HeadReader.usualFields)
            finished += known.header.prefix(max(0, lineCount - 2))
            self.known = nil
        }
        unsafe lines.append(contentsOf: line)
        return try unsafe take(HeadLine(line))
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
    mutating func beginTrailers() { (finished, unfolded, size, known) = ([], nil, 0, nil) }

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

/// A complete head as libcurl delivers it, and what it means.
final class KnownHead {
    /// A larger head is always parsed.
    static let maximumSize = 8 << 10

    /// Empty if the head can't be compared line by line.
    let lines: [UInt8]
    let status: (version: HTTPVersion, code: Int)
    let header: Header
    let framing: BodyFraming
    let keepAlive: UInt64?

    init(_ lines: [UInt8], _ status: (HTTPVersion, Int), _ header: Header) {
        (self.lines, self.status, self.header) = (lines, status, header)
        (framing, keepAlive) = (BodyFraming(header), header.keepAlive)
    }

    private init(_ other: KnownHead, _ lines: [UInt8], _ header: Header) {
        (self.lines, self.header) = (lines, header)
        (status, framing, keepAlive) = (other.status, other.framing, other.keepAlive)
    }

    /// Whether the line that starts at a position equals another one.
    func has(_ line: UnsafeRawBufferPointer, at start: Int) -> Bool {
        guard start + line.count <= lines.count, unsafe line.last == UInt8(ascii: "\n") else { return false }
        return unsafe lines.withUnsafeBytes { lines in
            guard let known = lines.baseAddress, let other = line.baseAddress else { return false }
            return unsafe memcmp(known + start, other, line.count) == 0
        }
    }

    /// Returns a head with another value of a field. `nil` if the line has another name, or changes more than a value.
    func replacing(_ index: Int, at start: Int, with line: UnsafeRawBufferPointer) -> KnownHead? {
        guard header.indices.contains(index), unsafe line.last == UInt8(ascii: "\n"),
            let field = try? unsafe HeadLine(line).field,
            field.name == header[index].name, !KnownHead.derivedNames.contains(field.name),
            let end = lines[start...].firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        var (lines, fields) = (lines, Array(header))
        unsafe lines.replaceSubrange(start...end, with: line)
        fields[index] = field
        return lines.count > KnownHead.maximumSize ? nil : KnownHead(self, lines, Header(fields))
    }

    /// The fields from which the framing and the time for an idle connection follow.
    private static let derivedNames: [Field.Name] = [.contentLength, .transferEncoding, "Keep-Alive"]
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

/// A line of a head, or a part of a line, in libcurl's memory.
@safe struct HeadLine {
    private let bytes: UnsafeBufferPointer<UInt8>

    private init(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        unsafe self.bytes = UnsafeBufferPointer(rebasing: bytes)
    }

    /// Creates a line without its line break, which is CR LF or only LF.
    init(_ line: UnsafeRawBufferPointer) {
        let bytes = unsafe line.bindMemory(to: UInt8.self)
        var end = bytes.count
        if end > 0, unsafe bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > 0, unsafe bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        unsafe self.init(bytes[..<end])
    }

    var isEmpty: Bool { unsafe bytes.isEmpty }

    var isFolded: Bool { unsafe bytes.first?.isFieldWhitespace ?? false }

    /// Whether the line has no carriage return, line feed or NUL, which another parser could read as its end.
    var isFieldValue: Bool {
        // No early exit, so that the loop is vectorized.
        var isValue = true
        for index in unsafe bytes.indices where unsafe bytes[index] <= 0x0D {
            isValue = unsafe isValue && bytes[index] != 0x0D && bytes[index] != 0x0A && bytes[index] != 0
        }
        return isValue
    }

    /// The bytes without leading and trailing spaces and tabs (RFC 9110 §5.5).
    var trimmed: HeadLine {
        var (start, end) = unsafe (0, bytes.count)
        while start < end, unsafe bytes[start].isFieldWhitespace { start += 1 }
        while start < end, unsafe bytes[end - 1].isFieldWhitespace { end -= 1 }
        return unsafe HeadLine(bytes[start..<end])
    }

    /// The field: the name before the first colon, and the trimmed value after it.
    var field: Field {
        get throws(HeadFault) {
            guard let colon = unsafe bytes.firstIndex(of: UInt8(ascii: ":")) else {
                throw .malformed("a line of the response's header has no colon")
            }
            let name = unsafe HeadLine(bytes[..<colon])
            guard !name.isEmpty, unsafe ASCII.tokenBytes.containsAll(name.bytes) else {
                throw .malformed("the response's header name \(Redaction.quoted(name.text)) isn't a token")
            }
            let value = unsafe HeadLine(bytes[(colon + 1)...]).trimmed
            guard value.isFieldValue else { throw .lineBreak(in: name.text) }
            let field = Field(name: Field.Name(token: name.text), trimmedValue: value.text)
            guard !value.isASCII, field.name == .setCookie || field.name == .eTag else { return field }
            return Field(name: field.name, trimmedValue: unsafe OpaqueOctets.text(of: value.bytes))
        }
    }

    private var isASCII: Bool { unsafe bytes.reduce(0, |) < 0x80 }

    /// The bytes as UTF-8, or as Latin-1 if they aren't UTF-8, so that nothing is lost.
    var text: String {
        if isASCII { return unsafe String(decoding: bytes, as: UTF8.self) }
        return unsafe String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// The version and code of a status line (RFC 9112 §4), such as `HTTP/1.1 200 OK`. For HTTP/2 and HTTP/3, libcurl
    /// creates lines such as `HTTP/2 200 `. `nil` for any other line.
    var status: (version: HTTPVersion, code: Int)? {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, parts[1].utf8.count == 3, parts[1].utf8.allSatisfy(\.isDigit),
            let code = Int(parts[1]), code >= 100
        else { return nil }
        if let version = [HTTPVersion.http2, .http3].first(where: { parts[0] == $0.description }) {
            return parts.count == 3 && parts[2].isEmpty ? (version, code) : nil
        }
        guard parts[0].hasPrefix("HTTP/1."), parts[0].utf8.count == 8, let minor = Int(parts[0].suffix(1)) else {
            return nil
        }
        return (HTTPVersion(major: 1, minor: minor), code)
    }
}

/// The length and the end of a response's body, according to its header (RFC 9112 §6).
struct BodyFraming {
    /// The length of the body in bytes. `nil` if it is chunked or lasts until the connection closes.
    let bodyLength: Int64?
    let hasLength: Bool
    let hasTransferCoding: Bool
    let isChunked: Bool
    /// The reason why the length is invalid or ambiguous. `nil` if it isn't.
    let fault: String?

    init(_ header: Header) {
        let length = header.length
        hasLength = length.bytes != nil || length.fault != nil
        hasTransferCoding = header.contains(.transferEncoding)
        if !hasTransferCoding, let number = length.bytes {
            (isChunked, bodyLength, fault) = (false, number, nil)
        } else {
            isChunked = hasTransferCoding && header.isChunked
            bodyLength = isChunked ? nil : length.bytes
            fault = hasLength || hasTransferCoding ? header.lengthFault : nil
        }
    }

    /// Whether an intermediary could frame the message differently (response splitting).
    func isDoubtful(for head: ResponseHead, in version: HTTPVersion?) -> Bool {
        // Transfer-Encoding must not occur with Content-Length or in HTTP/1.0 (RFC 9112 §6.1).
        if hasTransferCoding, hasLength || version == .http1_0 { return true }
        // A server that announces a body with a 204 may send it, although it must not (RFC 9110 §8.6).
        if head.statusCode == 204 { return hasTransferCoding || hasLength && bodyLength != 0 }
        // If the header says both, libcurl prefers `keep-alive` to `close`, against RFC 9112 §9.3.
        return version == .http1_0 && head.header.closesConnection
    }
}

extension Header {
    /// How long the server keeps an idle connection, in nanoseconds: `Keep-Alive: timeout=5`. `nil` if it doesn't say.
    var keepAlive: UInt64? {
        guard let field = self["Keep-Alive"] else { return nil }
        let times = field.tokens.filter { $0.lowercased().hasPrefix("timeout=") }.compactMap { UInt32($0.dropFirst(8)) }
        return times.min().map { UInt64($0) * 1_000_000_000 }
    }
}
#endif
