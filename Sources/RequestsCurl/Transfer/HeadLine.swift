import Requests

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
            return Field(name: Field.Name(token: name.text), trimmedValue: value.text)
        }
    }

    /// The bytes as UTF-8, or as Latin-1 if they aren't UTF-8, so that nothing is lost.
    var text: String {
        if unsafe bytes.reduce(0, |) < 0x80 { return unsafe String(decoding: bytes, as: UTF8.self) }
        return unsafe String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// The version and code of a status line (RFC 9112 §4), such as `HTTP/1.1 200 OK`. For HTTP/2, libcurl creates the
    /// line `HTTP/2 200 `. `nil` for any other line.
    var status: (version: HTTPVersion, code: Int)? {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, parts[1].utf8.count == 3, parts[1].utf8.allSatisfy(\.isDigit),
            let code = Int(parts[1]), code >= 100
        else { return nil }
        if parts[0] == "HTTP/2" { return parts.count == 3 && parts[2].isEmpty ? (.http2, code) : nil }
        guard parts[0].hasPrefix("HTTP/1."), parts[0].utf8.count == 8, let minor = Int(parts[0].suffix(1)) else {
            return nil
        }
        return (HTTPVersion(major: 1, minor: minor), code)
    }
}
