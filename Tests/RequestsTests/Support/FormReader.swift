/// Parses a query or a form as a server does (WHATWG URL §1.3 and §5.1), into bytes.
enum FormReader {
    struct Item: Equatable {
        var name: [UInt8]
        /// `nil` if there is no `=`. The standard treats that as an empty string.
        var value: [UInt8]?
    }

    static func items(of text: some Sequence<UInt8>) -> [Item] {
        Array(text).split(separator: UInt8(ascii: "&")).map { item in
            guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else {
                return Item(name: percentDecoded(item, plus: UInt8(ascii: " ")))
            }
            return Item(
                name: percentDecoded(item[..<equals], plus: UInt8(ascii: " ")),
                value: percentDecoded(item[(equals + 1)...], plus: UInt8(ascii: " "))
            )
        }
    }

    /// Decodes each valid `%XX` and replaces `+` by `plus`. Other bytes are unchanged.
    static func percentDecoded(_ text: some Sequence<UInt8>, plus: UInt8 = UInt8(ascii: "+")) -> [UInt8] {
        let text = Array(text)
        var decoded: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "%"), let byte = PercentDecoder.byte(ofEscapeAt: index, in: text) {
                decoded.append(byte)
                index += 3
            } else {
                decoded.append(text[index] == UInt8(ascii: "+") ? plus : text[index])
                index += 1
            }
        }
        return decoded
    }
}
