import Requests

/// A scrubber that redacts the values of secret keys in JSON and leaves every other byte unchanged.
///
/// It works on bytes instead of a parsed tree, so it also handles truncated JSON and JSON inside other text, and keeps
/// the notation of numbers and the order of keys.
struct JSONScrubber: Sendable {
    let isSecret: @Sendable (String) -> Bool

    func scrubbed(_ data: Data) -> Data {
        var result = Data()
        result.reserveCapacity(data.count)
        var rest = data[...]
        // Tries every quote as the start of a key. Skipping whole strings would fail after an unpaired quote.
        while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
            result += rest[..<quote]
            rest = rest[quote...]
            if let key = key(at: rest), isSecret(key.name) {
                result += rest.prefix(key.length)
                rest = rest.dropFirst(key.length)
                scrubValue(&rest, into: &result)
            } else {
                result.append(UInt8(ascii: "\""))
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    /// Returns the key at the start of the text, and its length in bytes including the colon. `nil` if no key is there.
    private func key(at text: Data) -> (name: String, length: Int)? {
        // The limit prevents quadratic time for a string with many escaped quotes.
        guard let string = stringLength(at: text.prefix(1024)) else { return nil }
        let colon = text.dropFirst(string).prefix { JSONScrubber.whitespace.contains($0) }.count + string
        guard text.dropFirst(colon).first == UInt8(ascii: ":") else { return nil }
        let literal = Data(text.prefix(string))
        guard let name = try? JSONDecoder().decode(String.self, from: literal) else { return nil }
        return (name, colon + 1)
    }

    /// Returns the length of a string in bytes including its quotes, or `nil` if it isn't terminated.
    private func stringLength(at text: Data) -> Int? {
        var isEscaped = false
        for (offset, byte) in text.dropFirst().enumerated() {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return offset + 2
            }
        }
        return nil
    }

    private func scrubValue(_ rest: inout Data, into result: inout Data) {
        var depth = 0
        while let byte = rest.first {
            var taken = 1
            var kept = rest.prefix(1)
            var isValue = false
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return }
                depth -= 1
                isValue = true
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { return }
            case _ where JSONScrubber.whitespace.contains(byte): break
            case UInt8(ascii: "\""):
                if depth > 0, let key = key(at: rest) {
                    (taken, kept) = (key.length, rest.prefix(key.length))
                } else {
                    (taken, kept) = (stringLength(at: rest) ?? rest.count, JSONScrubber.placeholder)
                    isValue = true
                }
            default:
                let word = rest.prefix { !JSONScrubber.delimiters.contains($0) }
                (taken, kept) = (word.count, JSONScrubber.replacement(for: word))
                isValue = true
            }
            result += kept
            rest = rest.dropFirst(taken)
            if isValue, depth == 0 { return }
        }
    }

    /// Returns a replacement of the same JSON type, or the placeholder for an invalid value.
    private static func replacement(for word: Data) -> Data {
        switch String(decoding: word, as: UTF8.self) {
        case "true", "false", "null": word
        case let text where Double(text) != nil: Data("0".utf8)
        default: placeholder
        }
    }

    private static let placeholder = Data("\"<redacted>\"".utf8)
    private static let whitespace = Set(" \t\r\n".utf8)
    private static let delimiters = Set(" \t\r\n,:[]{}\"".utf8)
}
