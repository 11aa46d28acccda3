/// JSON as text, which may be truncated or not valid.
package enum JSONText {
    /// Returns the text in UTF-8. `JSONDecoder` also reads UTF-16 and UTF-32.
    static func utf8(_ data: Data) -> Data {
        guard let (encoding, mark) = encoding(of: data) else { return data }
        return String(data: data.dropFirst(mark), encoding: encoding).map { Data($0.utf8) } ?? data
    }

    /// Detects an encoding by the byte order mark, or by the zeros of the first characters, which are ASCII in all JSON
    /// that has members (RFC 4627 §3). `nil` for UTF-8 and everything else.
    package static func encoding(of data: Data) -> (encoding: String.Encoding, markLength: Int)? {
        let start = Array(data.prefix(4))
        switch (start, start.map { $0 == 0 }) {
        case ([0xFF, 0xFE, 0, 0], _): return (.utf32LittleEndian, 4)
        case ([0, 0, 0xFE, 0xFF], _): return (.utf32BigEndian, 4)
        case _ where start.starts(with: [0xFF, 0xFE]): return (.utf16LittleEndian, 2)
        case _ where start.starts(with: [0xFE, 0xFF]): return (.utf16BigEndian, 2)
        case (_, [true, true, true, false]): return (.utf32BigEndian, 0)
        case (_, [false, true, true, true]): return (.utf32LittleEndian, 0)
        case (_, [true, false, true, false]): return (.utf16BigEndian, 0)
        case (_, [false, true, false, true]): return (.utf16LittleEndian, 0)
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

/// The limit for nested JSON.
///
/// `Codable` takes up to 2.5 KB of stack for a level, and a secondary thread on Apple platforms has 512 KB.
/// Foundation's own limit is 512 levels.
package enum JSONNesting {
    static let maximum = 100

    static let message = "it is nested more than \(maximum) levels deep"

    /// The error for a value that is too deep to be decoded.
    static func decodingError(_ path: [any CodingKey] = []) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: message))
    }

    /// Whether text is nested too deeply. Counts brackets outside of strings, whether or not the text is valid JSON.
    package static func isTooDeep(_ data: Data) -> Bool {
        unsafe JSONText.utf8(data).withUnsafeBytes { bytes in
            var (depth, index) = (0, 0)
            while index < bytes.count {
                switch unsafe bytes[index] {
                case UInt8(ascii: "\""):
                    index = unsafe JSONText.endOfString(at: index, in: bytes)
                    continue
                case UInt8(ascii: "["), UInt8(ascii: "{"):
                    depth += 1
                    if depth > maximum { return true }
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                default: break
                }
                index += 1
            }
            return false
        }
    }
}

extension JSONDecoder {
    /// Decodes a value, unless the text is nested too deeply.
    package func decodeLimited<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        if JSONNesting.isTooDeep(data) { throw JSONNesting.decodingError() }
        return try decode(type, from: data)
    }
}
