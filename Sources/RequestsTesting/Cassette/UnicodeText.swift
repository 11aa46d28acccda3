import Requests

/// A text in UTF-16 or UTF-32, which must become UTF-8 before the rules for secrets can read it.
struct UnicodeText {
    private enum Encoding {
        case utf16, utf32
    }

    private let encoding: Encoding
    private let isBigEndian: Bool
    private let mark: Data
    private let content: Data

    /// Detects the encoding by its byte order mark, by the zero bytes of its first characters (RFC 4627 §3), or by the
    /// media type's charset. Returns `nil` for UTF-8 and other encodings.
    init?(_ data: Data, _ type: MediaType?) {
        let start = Array(data.prefix(4))
        let charset = type?.parameters.first { $0.name == "charset" }.map { ASCII.lowercased($0.value) } ?? ""
        let zeros = start.map { $0 == 0 }
        var markSize = 0
        switch (start, zeros) {
        case ([0xFF, 0xFE, 0, 0], _): (encoding, isBigEndian, markSize) = (.utf32, false, 4)
        case ([0, 0, 0xFE, 0xFF], _): (encoding, isBigEndian, markSize) = (.utf32, true, 4)
        case _ where start.starts(with: [0xFF, 0xFE]): (encoding, isBigEndian, markSize) = (.utf16, false, 2)
        case _ where start.starts(with: [0xFE, 0xFF]): (encoding, isBigEndian, markSize) = (.utf16, true, 2)
        case (_, [true, true, true, false]): (encoding, isBigEndian) = (.utf32, true)
        case (_, [false, true, true, true]): (encoding, isBigEndian) = (.utf32, false)
        case (_, [true, false, true, false]): (encoding, isBigEndian) = (.utf16, true)
        case (_, [false, true, false, true]): (encoding, isBigEndian) = (.utf16, false)
        default:
            guard charset.hasPrefix("utf-16") || charset.hasPrefix("utf-32") else { return nil }
            encoding = charset.hasPrefix("utf-16") ? .utf16 : .utf32
            isBigEndian = !charset.hasSuffix("le")
        }
        mark = data.prefix(markSize)
        content = data.dropFirst(markSize)
    }

    /// The text in UTF-8. Invalid characters are replaced.
    var utf8: Data {
        switch encoding {
        case .utf16: Data(String(decoding: units(UInt16.self), as: UTF16.self).utf8)
        case .utf32: Data(String(decoding: units(UInt32.self), as: UTF32.self).utf8)
        }
    }

    /// Returns UTF-8 text converted to the encoding of this text, with the same byte order mark.
    func encoding(_ utf8: Data) -> Data {
        let text = String(decoding: utf8, as: UTF8.self)
        return switch encoding {
        case .utf16: mark + bytes(text.utf16)
        case .utf32: mark + bytes(text.unicodeScalars.map(\.value))
        }
    }

    private func units<Unit: FixedWidthInteger>(_: Unit.Type) -> [Unit] {
        let size = Unit.bitWidth / 8
        let bytes = Array(content)
        return stride(from: 0, to: bytes.count - bytes.count % size, by: size).map { start in
            let unit = bytes[start..<start + size]
            return (isBigEndian ? Array(unit) : unit.reversed()).reduce(0) { $0 << 8 | Unit($1) }
        }
    }

    private func bytes<Unit: FixedWidthInteger>(_ units: some Sequence<Unit>) -> Data {
        var data = Data()
        for unit in units {
            unsafe withUnsafeBytes(of: isBigEndian ? unit.bigEndian : unit.littleEndian) { unsafe data += $0 }
        }
        return data
    }
}
