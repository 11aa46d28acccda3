import Foundation
import Requests

/// Removes the values of keys from JSON text, and leaves every other byte as it is.
///
/// It reads bytes instead of a tree: a body that is cut short, or JSON inside other text, hides its secrets as well,
/// and numbers and the order of keys stay what they were.
struct JSONScrubber: Sendable {
    let isSecret: @Sendable (String) -> Bool

    func scrubbed(_ data: Data) -> Data {
        var result = Data()
        result.reserveCapacity(data.count)
        var rest = data[...]
        while let byte = rest.first {
            // Any quote may start a key: an odd one before it would make strings of what is between strings.
            if byte == UInt8(ascii: "\""), let key = key(at: rest), isSecret(key.name) {
                result += rest.prefix(key.length)
                rest = rest.dropFirst(key.length)
                scrubValue(&rest, into: &result)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    /// The key that starts here, and how many bytes it takes with its colon; `nil` where there is none.
    private func key(at text: Data) -> (name: String, length: Int)? {
        // A string full of escaped quotes would be read to its end from each of them.
        guard let string = stringLength(at: text.prefix(1024)) else { return nil }
        let colon = text.dropFirst(string).prefix { JSONScrubber.space.contains($0) }.count + string
        guard text.dropFirst(colon).first == UInt8(ascii: ":") else { return nil }
        let literal = Data(text.prefix(string))
        guard let name = try? JSONDecoder().decode(String.self, from: literal) else { return nil }
        return (name, colon + 1)
    }

    /// How many bytes a string takes with its quotes; `nil` where it has no end.
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
            case _ where JSONScrubber.space.contains(byte): break
            case UInt8(ascii: "\""):
                if depth > 0, let key = key(at: rest) {
                    (taken, kept) = (key.length, rest.prefix(key.length))
                } else {
                    (taken, kept) = (stringLength(at: rest) ?? rest.count, JSONScrubber.placeholder)
                    isValue = true
                }
            default:
                let word = rest.prefix { !JSONScrubber.wordEnds.contains($0) }
                (taken, kept) = (word.count, JSONScrubber.replacement(for: word))
                isValue = true
            }
            result += kept
            rest = rest.dropFirst(taken)
            if isValue, depth == 0 { return }
        }
    }

    /// Keeps the type, and what is no value of JSON hides its text too.
    private static func replacement(for word: Data) -> Data {
        switch String(decoding: word, as: UTF8.self) {
        case "true", "false", "null": word
        case let text where Double(text) != nil: Data("0".utf8)
        default: placeholder
        }
    }

    private static let placeholder = Data("\"<redacted>\"".utf8)
    private static let space = Set(" \t\r\n".utf8)
    private static let wordEnds = Set(" \t\r\n,:[]{}\"".utf8)
}
