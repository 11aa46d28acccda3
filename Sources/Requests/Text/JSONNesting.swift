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
