/// JSON as text, which may be truncated or not valid.
package enum JSONText {
    /// Returns the text in UTF-8. `JSONDecoder` also reads UTF-16 and UTF-32.
    static func utf8(_ data: Data) -> Data {
        encoding(of: data).flatMap { String(data: data, encoding: $0) }.map { Data($0.utf8) } ?? data
    }

    /// Detects an encoding as Foundation does, by a byte order mark or zeros (RFC 4627 §3). `nil` for UTF-8.
    private static func encoding(of data: Data) -> String.Encoding? {
        let start = Array(data.prefix(4))
        guard start.count > 1, start.contains(0) || start[0] >= 0xFE else { return nil }
        switch (start[0], start[1], start.dropFirst(2) == [0, 0], start.dropFirst(2)) {
        case (0, 0, _, [0xFE, 0xFF]), (0xFF, 0xFE, true, _): return .utf32
        case (0xFE, 0xFF, _, _), (0xFF, 0xFE, _, _): return .utf16
        case (0, 0, _, _): return .utf32BigEndian
        case (_, 0, true, _): return .utf32LittleEndian
        case (0, _, _, _): return .utf16BigEndian
        case (_, 0, _, _): return .utf16LittleEndian
        default: return nil
        }
    }

    /// Returns the index after the string that starts at an index. If it has no end, returns the end of the text.
    package static func endOfString<Bytes: RandomAccessCollection<UInt8>>(
        at start: Int,
        in bytes: Bytes
    ) -> Int where Bytes.Index == Int {
        var index = start + 1
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\\"): index += 2
            case UInt8(ascii: "\""): return index + 1
            default: index += 1
            }
        }
        return bytes.endIndex
    }
}
