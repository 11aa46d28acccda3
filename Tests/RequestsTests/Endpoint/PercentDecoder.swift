/// What a server makes of percent-encoded text. Written apart from the code under test; Foundation's drops a leading BOM.
enum PercentDecoder {
    /// The bytes; `nil` where a `%` starts no escape.
    static func bytes(of text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, !digits.hasPrefix("+"), let decoded = UInt8(digits, radix: 16) else {
                return nil
            }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    /// The text; `nil` where it is not validly encoded.
    static func text(of text: some StringProtocol) -> String? {
        bytes(of: text).map { String(decoding: $0, as: UTF8.self) }
    }
}
