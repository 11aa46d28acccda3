/// What a server makes of percent-encoded text. Written apart from the code under test; Foundation's drops a leading BOM.
enum PercentDecoder {
    /// The bytes; `nil` where a `%` starts no escape.
    static func bytes(of text: some StringProtocol) -> [UInt8]? {
        let text = Array(text.utf8)
        var bytes: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index] != UInt8(ascii: "%") {
                bytes.append(text[index])
                index += 1
            } else {
                guard let byte = byte(ofEscapeAt: index, in: text) else { return nil }
                bytes.append(byte)
                index += 3
            }
        }
        return bytes
    }

    /// The byte that `%` and two hexadecimal digits stand for.
    static func byte(ofEscapeAt index: Int, in text: [UInt8]) -> UInt8? {
        guard index + 2 < text.count else { return nil }
        let (high, low) = (values[Int(text[index + 1])], values[Int(text[index + 2])])
        return high < 16 && low < 16 ? high * 16 + low : nil
    }

    /// The value of each byte as a hexadecimal digit; 16 for those that are none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 16, count: 256)
        for digits in ["0123456789abcdef", "0123456789ABCDEF"] {
            for (value, digit) in digits.utf8.enumerated() { values[Int(digit)] = UInt8(value) }
        }
        return values
    }()

    /// The text; `nil` where it is not validly encoded.
    static func text(of text: some StringProtocol) -> String? {
        bytes(of: text).map { String(decoding: $0, as: UTF8.self) }
    }
}
