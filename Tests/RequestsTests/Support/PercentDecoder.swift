/// Decodes percent-encoded text as a server does. Independent of the tested code; Foundation's decoder drops a BOM.
enum PercentDecoder {
    /// Returns the decoded bytes. `nil` if a `%` doesn't start an escape.
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

    /// Returns the byte of an escape. `nil` if it isn't `%` and two hexadecimal digits.
    static func byte(ofEscapeAt index: Int, in text: [UInt8]) -> UInt8? {
        guard index + 2 < text.count else { return nil }
        let (high, low) = (values[Int(text[index + 1])], values[Int(text[index + 2])])
        return high < 16 && low < 16 ? high * 16 + low : nil
    }

    /// The value of each byte as a hexadecimal digit. 16 if it isn't a digit.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 16, count: 256)
        for digits in ["0123456789abcdef", "0123456789ABCDEF"] {
            for (value, digit) in digits.utf8.enumerated() { values[Int(digit)] = UInt8(value) }
        }
        return values
    }()

    /// Returns the decoded text. `nil` if a `%` doesn't start an escape.
    static func text(of text: some StringProtocol) -> String? {
        bytes(of: text).map { String(decoding: $0, as: UTF8.self) }
    }
}
