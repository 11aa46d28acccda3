/// What a server makes of a query or of a form (WHATWG URL §1.3 and §5.1), in bytes.
enum FormReader {
    struct Item: Equatable {
        var name: [UInt8]
        /// `nil` where there is no `=`; to the standard that is the empty text.
        var value: [UInt8]?
    }

    static func items(of text: some Sequence<UInt8>) -> [Item] {
        Array(text).split(separator: UInt8(ascii: "&")).map { item in
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { part in percentDecoded(part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }) }
            return Item(name: parts[0], value: parts.count > 1 ? parts[1] : nil)
        }
    }

    /// Replaces each `%` before two hexadecimal digits; all else stays.
    static func percentDecoded(_ text: some Sequence<UInt8>) -> [UInt8] {
        var rest = Array(text)[...]
        var decoded: [UInt8] = []
        while let byte = rest.popFirst() {
            let digits = byte == UInt8(ascii: "%") ? rest.prefix(2).compactMap(hexValue) : []
            decoded.append(digits.count == 2 ? digits[0] * 16 + digits[1] : byte)
            if digits.count == 2 { rest = rest.dropFirst(2) }
        }
        return decoded
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
