extension Redaction {
    /// Returns JSON with the values of sensitive members, and the credentials in URLs, replaced by a placeholder.
    ///
    /// - Returns: UTF-8 text. `nil` if the text isn't JSON, or there is nothing to hide.
    static func hidingMembers(inJSON data: Data) -> Data? {
        let bytes = Array(JSONText.utf8(data))
        let first = bytes.first { !isSpace($0) && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
        let shown = replacingMembers(inJSON: bytes, isWhole: true, where: isSecret) { value in
            value.elementsEqual("null".utf8) ? Array(value) : Array("\"\(placeholder)\"".utf8)
        }
        return shown == bytes ? nil : Data(shown)
    }

    /// Returns JSON with the values of secret members replaced.
    ///
    /// Works on text instead of values, so that it also reads JSON that is truncated or deeply nested, and keeps
    /// numbers as they are sent.
    ///
    /// - Parameters:
    ///   - isWhole: Whether the text is JSON, so that its strings are known, and the credentials in their URLs are
    ///     replaced, too. Otherwise the text contains JSON, and any quote may begin a name.
    ///   - isSecret: Whether a member is secret, by its name and the first byte of its value.
    package static func replacingMembers(
        inJSON bytes: [UInt8],
        isWhole: Bool,
        where isSecret: (String, UInt8?) -> Bool,
        with replacement: (ArraySlice<UInt8>) -> [UInt8]
    ) -> [UInt8] {
        var shown: [UInt8] = []
        shown.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\"") else {
                shown.append(bytes[index])
                index += 1
                continue
            }
            // The limit prevents quadratic time if every quote may begin a name.
            let limit = isWhole ? bytes.count : min(index + 1024, bytes.count)
            let end = JSONText.endOfString(at: index, in: bytes[..<limit])
            let literal = bytes[index..<end]
            let colon = skipSpace(from: end, in: bytes)
            let isName = colon < bytes.count && bytes[colon] == UInt8(ascii: ":")
            let value = isName ? skipSpace(from: colon + 1, in: bytes) : end
            if isName, isSecret(text(of: literal), value < bytes.count ? bytes[value] : nil) {
                let valueEnd = endOfValue(at: value, in: bytes)
                shown += bytes[index..<value] + replacement(bytes[value..<valueEnd])
                index = valueEnd
            } else if isWhole {
                shown += isName ? literal : hidingURLs(inLiteral: literal) ?? literal
                index = end
            } else {
                shown.append(bytes[index])
                index += 1
            }
        }
        return shown
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
                if depth <= 1 { return index + depth }
                depth -= 1
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
