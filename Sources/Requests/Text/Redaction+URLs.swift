/// Hides credentials in text that contains URLs. Works on bytes, in linear time, because servers choose the text.
extension Redaction {
    /// How often a URL may be encoded within a query item. Another encoded URL is hidden as a whole.
    private static let maximumNesting = 3

    /// Returns text without the credentials in its URLs.
    package static func hidingCredentials(in text: String) -> String {
        hidingItems(in: hidingUserInfo(in: text))
    }

    /// Returns text without the values of query items and path parameters that are credentials.
    ///
    /// - Parameters:
    ///   - names: Sensitive names in addition to the usual ones.
    ///   - nesting: How often the text was encoded.
    static func hidingItems(in text: String, named names: Set<String> = [], nesting: Int = 0) -> String {
        guard text.utf8.contains(UInt8(ascii: "=")) else { return text }
        let bytes = Array(text.utf8)
        var shown: [UInt8] = []
        shown.reserveCapacity(bytes.count)
        var (nameStart, index, valueEnd) = (0, 0, 0)
        while index < bytes.count {
            let byte = bytes[index]
            shown.append(byte)
            index += 1
            if endsName(byte) {
                nameStart = index
            } else if byte == UInt8(ascii: "=") {
                let name = PercentEncoding.decoded(String(decoding: bytes[nameStart..<(index - 1)], as: UTF8.self))
                nameStart = index
                let isNewValue = index > valueEnd
                if isNewValue { valueEnd = bytes[index...].firstIndex(where: endsValue) ?? bytes.endIndex }
                if isSensitive(queryName: name) || names.contains(name) {
                    if valueEnd > index { shown += Array(placeholder.utf8) }
                    index = valueEnd
                } else if isNewValue, let value = hidingNestedURL(in: bytes[index..<valueEnd], nesting) {
                    shown += value
                    index = valueEnd
                }
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Returns a value that contains an encoded URL without the URL's credentials. `nil` if it contains none.
    private static func hidingNestedURL(in value: ArraySlice<UInt8>, _ nesting: Int) -> [UInt8]? {
        guard value.contains(UInt8(ascii: "%")) else { return nil }
        let text = PercentEncoding.decoded(String(decoding: value, as: UTF8.self))
        guard text.utf8.contains(where: { "=%@".utf8.contains($0) }) else { return nil }
        if nesting == maximumNesting { return Array(placeholder.utf8) }
        let shown = hidingItems(in: hidingUserInfo(in: text), nesting: nesting + 1)
        guard shown != text else { return nil }
        return Array(PercentEncoding.encoded(shown, keeping: PercentEncoding.redacted).utf8)
    }

    /// Returns text without the user info of its URLs.
    private static func hidingUserInfo(in text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        let bytes = Array(text.utf8)
        var shown: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index...].starts(with: "//".utf8) else {
                shown.append(bytes[index])
                index += 1
                continue
            }
            let start = index + 2
            shown += Array("//".utf8)
            let end = bytes[start...].firstIndex { endsValue($0) || "/?".utf8.contains($0) } ?? bytes.endIndex
            let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@"))
            shown += (at == nil ? [] : Array(placeholder.utf8)) + bytes[(at ?? start)..<end]
            index = end
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Whether a byte ends the value of an item.
    private static func endsValue(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "#"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
            UInt8(ascii: " "):
            true
        default: false
        }
    }

    /// Whether a byte ends a name. `?` and `;` can be part of a value.
    private static func endsName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "?") || byte == UInt8(ascii: ";") || endsValue(byte)
    }
}
