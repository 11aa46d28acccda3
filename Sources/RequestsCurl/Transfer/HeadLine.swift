import Requests

/// A line of a head, or a part of one, in libcurl's memory.
struct HeadLine {
    private let bytes: UnsafeBufferPointer<UInt8>

    private init(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        self.bytes = UnsafeBufferPointer(rebasing: bytes)
    }

    /// Creates a line without its end, which is CR LF or only LF.
    init(_ line: UnsafeRawBufferPointer) {
        let bytes = line.bindMemory(to: UInt8.self)
        var end = bytes.count
        if end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        self.init(bytes[..<end])
    }

    var isEmpty: Bool { bytes.isEmpty }

    var isFolded: Bool { bytes.first.map(HeadLine.isSpace) ?? false }

    var isFieldValue: Bool {
        // No early exit, so that the loop is vectorized.
        var isValue = true
        for byte in bytes where byte <= 0x0D { isValue = isValue && byte != 0x0D && byte != 0x0A && byte != 0 }
        return isValue
    }

    /// The bytes without leading and trailing spaces and tabs (RFC 9110 §5.5).
    var trimmed: HeadLine {
        var (start, end) = (0, bytes.count)
        while start < end, HeadLine.isSpace(bytes[start]) { start += 1 }
        while start < end, HeadLine.isSpace(bytes[end - 1]) { end -= 1 }
        return HeadLine(bytes[start..<end])
    }

    /// The field: the name before the first colon, and the trimmed value after it.
    var field: Field {
        get throws(HeadFault) {
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
                throw .malformed("a line of the response's head has no colon")
            }
            let name = HeadLine(bytes[..<colon])
            guard !name.isEmpty, ASCII.tokenBytes.containsAll(name.bytes) else {
                throw .malformed("the response's field name \(Redaction.quoted(name.text)) is not a token")
            }
            let value = HeadLine(bytes[(colon + 1)...]).trimmed
            guard value.isFieldValue else { throw .lineBreak(in: name.text) }
            return Field(name: Field.Name(token: name.text), trimmedValue: value.text)
        }
    }

    /// The bytes as UTF-8, or as Latin-1 if they aren't UTF-8, so that nothing is lost.
    var text: String {
        if bytes.reduce(0, |) < 0x80 { return String(decoding: bytes, as: UTF8.self) }
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// The version and code of a status line (RFC 9112 §4): `HTTP/1.1 200 OK`, or `HTTP/2 200 `, which libcurl makes of
    /// an HTTP/2 head. `nil` for another line.
    var status: (version: HTTPVersion, code: Int)? {
        let prefix: StaticString = "HTTP/"
        let isHTTP = prefix.withUTF8Buffer { bytes.starts(with: $0) }
        guard isHTTP, let space = bytes.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let rest = bytes[(space + 1)...]
        let digits = rest.prefix { $0 != UInt8(ascii: " ") }
        guard digits.count == 3, let code = HeadLine.number(digits), code >= 100 else { return nil }
        let number = bytes[prefix.utf8CodeUnitCount..<space]
        if number.count == 1, number.first == UInt8(ascii: "2"), digits.endIndex + 1 == bytes.endIndex {
            return (.http2, code)
        }
        guard number.count == 3, number.first == UInt8(ascii: "1"), number.dropFirst().first == UInt8(ascii: "."),
            let minor = HeadLine.number(number.suffix(1))
        else { return nil }
        return (HTTPVersion(major: 1, minor: minor), code)
    }

    /// Parses a number of one to three digits.
    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        guard (1...3).contains(digits.count) else { return nil }
        var number = 0
        for digit in digits {
            let value = digit &- UInt8(ascii: "0")
            guard value < 10 else { return nil }
            number = number * 10 + Int(value)
        }
        return number
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
