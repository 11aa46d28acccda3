import Requests

/// The bytes of a line of a head, or of a part of one: looked at where they are.
struct HeadLine {
    private let bytes: UnsafeBufferPointer<UInt8>

    private init(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        self.bytes = UnsafeBufferPointer(rebasing: bytes)
    }

    /// A line that ends with CR LF, or with LF alone, which are no part of it.
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
        // Without a way out in the middle, so that many bytes are looked at at once.
        var isValue = true
        for byte in bytes where byte <= 0x0D { isValue = isValue && byte != 0x0D && byte != 0x0A && byte != 0 }
        return isValue
    }

    /// The bytes without the optional white space around them (RFC 9110 §5.5: SP and HTAB).
    var trimmed: HeadLine {
        var (start, end) = (0, bytes.count)
        while start < end, HeadLine.isSpace(bytes[start]) { start += 1 }
        while start < end, HeadLine.isSpace(bytes[end - 1]) { end -= 1 }
        return HeadLine(bytes[start..<end])
    }

    /// The field of a line: what is before the first colon, and what is after it without white space around.
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

    /// UTF-8 where it is, and otherwise each byte as the Latin-1 character it stands for: nothing is lost.
    var text: String {
        if bytes.reduce(0, |) < 0x80 { return String(decoding: bytes, as: UTF8.self) }
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// What a status line says: `HTTP/1.1 200 OK`, or `HTTP/2 200 `, which libcurl makes of a head of HTTP/2; `nil` when
    /// it is none (RFC 9112 §4).
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

    /// A number of one to three digits.
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
