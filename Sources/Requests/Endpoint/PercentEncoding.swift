/// Percent-encoding of the parts of a URL.
///
/// Specification: RFC 3986 §2.
enum PercentEncoding {
    static let unreserved = ByteSet(alphanumericsAnd: "-._~")
    static let path = ByteSet(alphanumericsAnd: "-._~!$&'()*+,;=:@/")
    static let query = ByteSet(alphanumericsAnd: "-._~!$&'()*+,;=:@/?")

    /// Appends text that is data: every byte outside `allowed` is encoded, `%` included.
    static func append(_ text: String, keeping allowed: ByteSet, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { text in
            // Most text needs no encoding, and is copied as it is.
            if text.allSatisfy(allowed.contains) { return bytes.append(contentsOf: text) }
            for byte in text { append(byte, keeping: allowed, to: &bytes) }
        }
    }

    /// Appends text that may be encoded already: a valid `%XX` stays, a `%` that starts none becomes `%25`.
    static func appendEncoded(_ text: some Collection<UInt8>, keeping allowed: ByteSet, to bytes: inout [UInt8]) {
        let isDone: Void? = text.withContiguousStorageIfAvailable { appendEncoded($0, keeping: allowed, to: &bytes) }
        if isDone == nil { Array(text).withUnsafeBufferPointer { appendEncoded($0, keeping: allowed, to: &bytes) } }
    }

    private static func appendEncoded(
        _ text: UnsafeBufferPointer<UInt8>,
        keeping allowed: ByteSet,
        to bytes: inout [UInt8]
    ) {
        if text.allSatisfy(allowed.contains) { return bytes.append(contentsOf: text) }
        for (index, byte) in text.enumerated() {
            if byte == percent, startsEscape(text[index...]) {
                bytes.append(byte)
            } else {
                append(byte, keeping: allowed, to: &bytes)
            }
        }
    }

    static func encoded(_ text: String, keeping allowed: ByteSet) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        append(text, keeping: allowed, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Replaces each valid `%XX` by its byte, once; all else stays.
    static func decoded(_ text: String) -> String {
        guard text.utf8.contains(percent) else { return text }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == percent, let high = rest.first?.hexValue, let low = rest.dropFirst().first?.hexValue {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static let percent = UInt8(ascii: "%")

    /// Whether `%` and two hexadecimal digits stand at the start.
    static func startsEscape(_ text: some Collection<UInt8>) -> Bool {
        var bytes = text.makeIterator()
        return bytes.next() == percent && bytes.next()?.hexValue != nil && bytes.next()?.hexValue != nil
    }

    private static func append(_ byte: UInt8, keeping allowed: ByteSet, to bytes: inout [UInt8]) {
        if allowed.contains(byte) {
            bytes.append(byte)
        } else {
            bytes.append(percent)
            bytes.append(hexDigits[Int(byte >> 4)])
            bytes.append(hexDigits[Int(byte & 15)])
        }
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}

extension UInt8 {
    /// The value of a hexadecimal digit, `nil` for all else.
    fileprivate var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
