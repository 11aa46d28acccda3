extension Redaction {
    /// Returns JSON with the values of sensitive members, and the credentials in URLs, replaced by a placeholder.
    ///
    /// Works on text instead of values, so that it also hides members of JSON that is truncated or deeply nested, and
    /// shows numbers as they are sent.
    ///
    /// - Returns: UTF-8 text. `nil` if the text isn't JSON, or there is nothing to hide.
    static func hidingMembers(inJSON data: Data) -> Data? {
        let bytes = Array(JSONText.utf8(data))
        let first = bytes.first { !isSpace($0) && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
        var shown: [UInt8] = []
        shown.reserveCapacity(bytes.count)
        var (index, isChanged) = (0, false)
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\"") else {
                shown.append(bytes[index])
                index += 1
                continue
            }
            let end = JSONText.endOfString(at: index, in: bytes)
            let literal = bytes[index..<end]
            let colon = skipSpace(from: end, in: bytes)
            index = end
            guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else {
                let hidden = hidingURLs(inLiteral: literal)
                shown += hidden ?? literal
                isChanged = isChanged || hidden != nil
                continue
            }
            shown += literal
            let (name, value) = (text(of: literal), skipSpace(from: colon + 1, in: bytes))
            guard isSensitive(jsonKey: name), value == bytes.count || !isCount(jsonKey: name, value: bytes[value])
            else {
                continue
            }
            shown += bytes[end..<value]
            index = endOfValue(at: value, in: bytes)
            let isNull = bytes[value..<index].elementsEqual("null".utf8)
            shown += isNull ? Array("null".utf8) : Array("\"\(placeholder)\"".utf8)
            isChanged = isChanged || !isNull
        }
        return isChanged ? Data(shown) : nil
    }

    /// Returns a string literal without the credentials in its URLs. `nil` if it contains none.
    private static func hidingURLs(inLiteral literal: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard literal.contains(UInt8(ascii: "=")) || literal.contains(UInt8(ascii: "@")) else { return nil }
        let text = text(of: literal)
        let shown = hidingCredentials(in: text)
        guard shown != text, let json = try? JSONEncoder().encode(shown) else { return nil }
        return Array(json)[...]
    }

    private static func text(of literal: ArraySlice<UInt8>) -> String {
        let isEscaped = literal.contains(UInt8(ascii: "\\"))
        let decoded = isEscaped ? try? JSONDecoder().decode(String.self, from: Data(literal)) : nil
        return decoded ?? String(decoding: literal.dropFirst().dropLast(), as: UTF8.self)
    }

    /// Returns the index after the value that starts at an index, or the end of the text.
    private static func endOfValue(at start: Int, in bytes: [UInt8]) -> Int {
        var (index, depth) = (start, 0)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index = JSONText.endOfString(at: index, in: bytes)
                if depth == 0 { return index }
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return index }
                depth -= 1
                if depth == 0 { return index + 1 }
            case UInt8(ascii: ","): if depth == 0 { return index }
            default: if depth == 0, isSpace(bytes[index]) { return index }
            }
            index += 1
        }
        return bytes.count
    }

    private static func skipSpace(from start: Int, in bytes: [UInt8]) -> Int {
        bytes[start...].firstIndex { !isSpace($0) } ?? bytes.endIndex
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte.isFieldWhitespace || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}
