/// Hides credentials in text that contains URLs. Works on bytes, in linear time, because servers choose the text.
extension Redaction {
    /// Returns text without the credentials in its URLs.
    package static func hidingCredentials(in text: String) -> String {
        hidingItems(in: hidingUserInfo(in: text))
    }

    /// Returns text without the values of query items that are credentials.
    ///
    /// - Parameter names: Sensitive names in addition to the usual ones.
    static func hidingItems(in text: String, named names: Set<String> = []) -> String {
        guard text.utf8.contains(UInt8(ascii: "=")) else { return text }
        let bytes = Array(text.utf8)
        var shown: [UInt8] = []
        shown.reserveCapacity(bytes.count)
        var (nameStart, index) = (0, 0)
        while index < bytes.count {
            let byte = bytes[index]
            shown.append(byte)
            index += 1
            if endsName(byte) {
                nameStart = index
            } else if byte == UInt8(ascii: "=") {
                let name = PercentEncoding.decoded(String(decoding: bytes[nameStart..<(index - 1)], as: UTF8.self))
                nameStart = index
                guard isSensitive(queryName: name) || names.contains(name) else { continue }
                let end = bytes[index...].firstIndex(where: endsValue) ?? bytes.endIndex
                if end > index { shown += Array(placeholder.utf8) }
                index = end
            }
        }
        return String(decoding: shown, as: UTF8.self)
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
