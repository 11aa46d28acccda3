import Requests

/// The lines of a head, without their ends: CR LF, or LF alone.
struct HeadLines: IteratorProtocol {
    private var rest: Slice<UnsafeBufferPointer<UInt8>>

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes.bindMemory(to: UInt8.self)[...]
    }

    mutating func next() -> HeadLine? {
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
        defer { rest = rest[min(end + 1, rest.endIndex)...] }
        return HeadLine(rest[..<end])
    }

    /// The first line as text.
    static func firstText(of bytes: UnsafeRawBufferPointer) -> String {
        var lines = HeadLines(bytes)
        return lines.next()?.text ?? ""
    }
}

/// The bytes of a line of a head, or of a part of one: looked at where they are.
struct HeadLine {
    private let bytes: UnsafeBufferPointer<UInt8>

    /// A part of a line.
    private init(part bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        self.bytes = UnsafeBufferPointer(rebasing: bytes)
    }

    /// A line without its LF; a CR at its end is no part of it.
    init(_ line: Slice<UnsafeBufferPointer<UInt8>>) {
        self.init(part: line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }

    var isEmpty: Bool { bytes.isEmpty }

    var isFolded: Bool { bytes.first.map(HeadLine.isSpace) ?? false }

    var isToken: Bool { !bytes.isEmpty && bytes.allSatisfy { ASCII.tokenBytes.contains($0) } }

    var isFieldValue: Bool { bytes.allSatisfy { $0 > 0x0D || ($0 != 0x0D && $0 != 0x0A && $0 != 0) } }

    /// The bytes without the optional white space around them (RFC 9110 §5.5: SP and HTAB).
    var trimmed: HeadLine {
        var rest = bytes[...]
        while let first = rest.first, HeadLine.isSpace(first) { rest = rest.dropFirst() }
        while let last = rest.last, HeadLine.isSpace(last) { rest = rest.dropLast() }
        return HeadLine(part: rest)
    }

    /// What is before the first colon, and what is after it without white space around; `nil` without a colon.
    var split: (name: HeadLine, value: HeadLine)? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return (HeadLine(part: bytes[..<colon]), HeadLine(part: bytes[(colon + 1)...]).trimmed)
    }

    /// UTF-8 where it is, and otherwise each byte as the Latin-1 character it stands for: nothing is lost.
    var text: String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// What a status line says: `HTTP/1.1 200 OK`, `HTTP/2 200`; `nil` when it is none (RFC 9112 §4).
    var status: (version: HTTPVersion, code: Int)? {
        let prefix: StaticString = "HTTP/"
        let isHTTP = prefix.withUTF8Buffer { bytes.starts(with: $0) }
        guard isHTTP, let space = bytes.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let rest = bytes[(space + 1)...]
        let digits = rest.prefix { $0 != UInt8(ascii: " ") }
        guard digits.count == 3, let code = HeadLine.number(digits), code >= 100 else { return nil }
        let number = bytes[prefix.utf8CodeUnitCount..<space]
        let dot = number.firstIndex(of: UInt8(ascii: ".")) ?? number.endIndex
        guard let major = HeadLine.number(number[..<dot]) else { return nil }
        guard dot != number.endIndex else { return (HTTPVersion(major: major, minor: 0), code) }
        guard let minor = HeadLine.number(number[(dot + 1)...]) else { return nil }
        return (HTTPVersion(major: major, minor: minor), code)
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
