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
        text.withUTF8 { append($0, keeping: allowed, escapes: false, to: &bytes) }
    }

    /// Appends text that may be encoded already: a valid `%XX` stays, a `%` that starts none becomes `%25`.
    static func appendEncoded(_ text: some Collection<UInt8>, keeping allowed: ByteSet, to bytes: inout [UInt8]) {
        let isDone: Void? = text.withContiguousStorageIfAvailable {
            append($0, keeping: allowed, escapes: true, to: &bytes)
        }
        if isDone == nil {
            Array(text).withUnsafeBufferPointer { append($0, keeping: allowed, escapes: true, to: &bytes) }
        }
    }

    private static func append(
        _ text: UnsafeBufferPointer<UInt8>,
        keeping allowed: ByteSet,
        escapes: Bool,
        to bytes: inout [UInt8]
    ) {
        // What needs no encoding, most of most texts, is copied run by run.
        var start = text.startIndex
        while let end = text[start...].firstIndex(where: { !allowed.contains($0) }) {
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<end]))
            // The two digits of an escape that stays follow with the next run.
            bytes.append(percent)
            if !escapes || !startsEscape(text[end...]) {
                bytes.append(hexDigits[Int(text[end] >> 4)])
                bytes.append(hexDigits[Int(text[end] & 15)])
            }
            start = end + 1
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }

    static func encoded(_ text: String, keeping allowed: ByteSet) -> String {
        if allowed.containsAll(of: text) { return text }
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
