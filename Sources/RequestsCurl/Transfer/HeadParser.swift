import Requests

/// Reads the lines of response heads as libcurl hands them over, one call for each line.
///
/// Informational heads come before the final one, trailers after the body.
///
/// Specification: RFC 9112 §4, §5.
struct HeadParser {
    enum Event: Equatable {
        case none
        /// A head that another follows is complete.
        case informational
        /// The final head is complete.
        case head
        case malformed(String)
        case tooLarge(String)
    }

    private(set) var statusCode = 0
    private(set) var version: HTTPVersion?
    private(set) var fields: [Field] = []
    private(set) var trailers: [Field] = []
    private(set) var isComplete = false

    /// Whether anything at all has come.
    private(set) var hasStarted = false

    private var size = 0
    /// Whether what was read is an informational head, complete.
    private var isInformational = false

    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Event {
        hasStarted = true
        size += bytes.count
        if isInformational { startOver() }
        guard size <= Header.maximumSize, fields.count + trailers.count < Header.maximumFields else {
            return .tooLarge(Header.tooLarge)
        }
        let line = HeadParser.withoutLineEnd(bytes)
        if isComplete { return appendTrailer(line) }
        if statusCode == 0 { return startHead(line) }
        guard line.isEmpty else { return appendField(line, to: \.fields) }
        // An informational head is followed by another; switching protocols is final (RFC 9110 §15.2).
        if (100..<200).contains(statusCode), statusCode != 101 {
            isInformational = true
            return .informational
        }
        if let fault = Header(fields).lengthFault { return .malformed(fault) }
        isComplete = true
        return .head
    }

    private mutating func startOver() {
        let consumed = size
        self = HeadParser()
        (size, hasStarted) = (consumed, true)
    }

    private mutating func startHead(_ line: Slice<UnsafeRawBufferPointer>) -> Event {
        let text = String(decoding: line, as: UTF8.self)
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        let digits = parts.count > 1 ? parts[1] : ""
        guard let version = HeadParser.version(parts.first ?? ""), digits.utf8.count == 3,
            let code = Int(digits), code >= 100
        else {
            return .malformed("the status line \(Redaction.quoted(text)) is not one of HTTP")
        }
        (statusCode, self.version) = (code, version)
        return .none
    }

    private static func version(_ text: Substring) -> HTTPVersion? {
        guard text.hasPrefix("HTTP/") else { return nil }
        let numbers = text.dropFirst(5).split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard let major = numbers.first ?? nil, numbers.count <= 2 else { return nil }
        return HTTPVersion(major: major, minor: numbers.count == 2 ? numbers[1] ?? 0 : 0)
    }

    private mutating func appendTrailer(_ line: Slice<UnsafeRawBufferPointer>) -> Event {
        line.isEmpty ? .none : appendField(line, to: \.trailers)
    }

    private mutating func appendField(
        _ line: Slice<UnsafeRawBufferPointer>,
        to list: WritableKeyPath<HeadParser, [Field]>
    ) -> Event {
        if let first = line.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
            return unfold(line, into: list)
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            return .malformed("a line of the response's head has no colon")
        }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        guard ASCII.isToken(name) else {
            return .malformed("the response's field name \(Redaction.quoted(name)) is not a token")
        }
        let value = HeadParser.text(line[(colon + 1)...])
        guard ASCII.isFieldValue(value) else {
            return .malformed("the value of the response's field \(name) contains a line break or NUL")
        }
        self[keyPath: list].append(Field(name: Field.Name(name), value: value))
        return .none
    }

    /// A line that starts with white space goes on with the value before it (RFC 9112 §5.2).
    private mutating func unfold(
        _ line: Slice<UnsafeRawBufferPointer>,
        into list: WritableKeyPath<HeadParser, [Field]>
    ) -> Event {
        guard let last = self[keyPath: list].popLast() else {
            return .malformed("the response's head starts with a folded line")
        }
        let rest = Field(name: last.name, value: HeadParser.text(line)).value
        self[keyPath: list].append(Field(name: last.name, value: "\(last.value) \(rest)"))
        return .none
    }

    /// UTF-8 where it is, and otherwise each byte as the Latin-1 character it stands for: nothing is lost.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func withoutLineEnd(_ bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        var line = bytes[...]
        if line.last == UInt8(ascii: "\n") { line = line.dropLast() }
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        return line
    }
}
