/// Percent-encoding of the parts of a URL.
///
/// Specification: RFC 3986 §2.
package enum PercentEncoding {
    package static let unreserved = ByteSet(alphanumericsAnd: "-._~")
    /// Unreserved characters and the separator of segments.
    static let key = ByteSet(alphanumericsAnd: "-._~/")
    static let path = ByteSet(alphanumericsAnd: "-._~!$&'()*+,;=:@/")
    static let urlLiteral = ByteSet(alphanumericsAnd: "-._~!$&'()*+,;=:@/?%#")
    static let query = ByteSet(alphanumericsAnd: "-._~!$&'()*+,;=:@/?")
    /// Keeps the placeholder of a redacted value readable.
    static let redacted = ByteSet(alphanumericsAnd: "-._~<>")

    /// Appends text with every byte outside `allowed` encoded, including `%`.
    static func append(_ text: String, keeping allowed: ByteSet, to bytes: inout [UInt8]) {
        text.withBytes { unsafe append($0, keeping: allowed, keepsEscapes: false, to: &bytes) }
    }

    /// Appends text that may already be encoded. A valid `%XX` stays; any other `%` becomes `%25`.
    package static func appendEncoded(_ text: some Collection<UInt8>, keeping set: ByteSet, to bytes: inout [UInt8]) {
        let isDone: Void? = text.withContiguousStorageIfAvailable {
            unsafe append($0, keeping: set, keepsEscapes: true, to: &bytes)
        }
        if isDone == nil {
            unsafe Array(text).withUnsafeBufferPointer {
                unsafe append($0, keeping: set, keepsEscapes: true, to: &bytes)
            }
        }
    }

    private static func append(
        _ text: UnsafeBufferPointer<UInt8>,
        keeping allowed: ByteSet,
        keepsEscapes: Bool,
        to bytes: inout [UInt8]
    ) {
        TextWriter.withBytes(room: 3 * text.count) { writer in
            unsafe writer.append(text, keeping: allowed, keepsEscapes: keepsEscapes)
        } _: {
            unsafe bytes.append(contentsOf: $0)
        }
    }

    package static func encoded(_ text: String, keeping allowed: ByteSet = unreserved) -> String {
        text.withBytes { unsafe encoded($0, keeping: allowed) }
    }

    package static func encoded(_ bytes: [UInt8], keeping allowed: ByteSet = unreserved) -> String {
        unsafe bytes.withUnsafeBufferPointer { unsafe encoded($0, keeping: allowed) }
    }

    private static func encoded(_ bytes: UnsafeBufferPointer<UInt8>, keeping allowed: ByteSet) -> String {
        TextWriter.text(room: 3 * bytes.count) { writer in
            unsafe writer.append(bytes, keeping: allowed, keepsEscapes: false)
        }
    }

    /// Decodes each valid `%XX` once. Other text is unchanged.
    package static func decoded(_ text: String) -> String {
        text.utf8.contains(percent) ? String(decoding: decodedBytes(text), as: UTF8.self) : text
    }

    /// The bytes of the text, with each valid `%XX` decoded once.
    package static func decodedBytes(_ text: String) -> [UInt8] {
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
        return bytes
    }

    package static let percent = UInt8(ascii: "%")

    /// Whether the text starts with `%` and two hexadecimal digits.
    package static func startsEscape(_ text: some Collection<UInt8>) -> Bool {
        var bytes = text.makeIterator()
        return bytes.next() == percent && bytes.next()?.hexValue != nil && bytes.next()?.hexValue != nil
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit. `nil` for any other byte.
    package var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
