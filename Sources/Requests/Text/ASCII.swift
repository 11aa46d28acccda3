/// The character classes of HTTP, on bytes.
package enum ASCII {
    /// Lowercases `A` to `Z` and leaves other bytes unchanged.
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }

    package static func lowercased(_ text: some StringProtocol) -> String {
        String(decoding: text.utf8.map(lowercased), as: UTF8.self)
    }

    package static func equalsIgnoringCase(_ lhs: String, _ rhs: String) -> Bool {
        guard lhs.utf8.count == rhs.utf8.count else { return false }
        // Not `==`, which compares canonical equivalence.
        return lhs.withBytes { lhs in
            rhs.withBytes { rhs in
                unsafe lhs.elementsEqual(rhs) { $0 == $1 || lowercased($0) == lowercased($1) }
            }
        }
    }

    /// Whether the string is a token: one or more `tchar` (RFC 9110 §5.6.2).
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && tokenBytes.containsAll(of: text)
    }

    /// Whether the string is a valid field value: no control character but HTAB (RFC 9110 §5.5).
    package static func isFieldValue(_ text: String) -> Bool {
        text.withBytes { unsafe isFieldValue($0) }
    }

    package static func isFieldValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// Whether a byte is a control character (RFC 5234 §B.1).
    package static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    package static let tokenBytes = ByteSet(alphanumericsAnd: "!#$%&'*+-.^_`|~")
}

extension UInt8 {
    package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// Whether the byte is a space or a tab, which may surround a field value (RFC 9110 §5.6.3).
    package var isFieldWhitespace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension String {
    /// Calls a closure with the UTF-8 bytes. Unlike `withUTF8(_:)` it doesn't mutate, which would copy the string.
    @safe func withBytes<Result>(_ read: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        unsafe utf8.withContiguousStorageIfAvailable(read) ?? Array(utf8).withUnsafeBufferPointer(read)
    }
}

/// A set of ASCII bytes with a constant-time test.
package struct ByteSet: Sendable {
    private let low: UInt64
    private let high: UInt64

    /// Creates a set of letters, digits and the given ASCII characters.
    package init(alphanumericsAnd characters: StaticString) {
        self.init("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", characters)
    }

    private init(_ sets: StaticString...) {
        var bits: (low: UInt64, high: UInt64) = (0, 0)
        for set in sets {
            set.withUTF8Buffer { bytes in
                for index in bytes.indices {
                    let byte = unsafe bytes[index]
                    if byte < 64 { bits.low |= 1 << UInt64(byte) } else { bits.high |= 1 << UInt64(byte & 63) }
                }
            }
        }
        (low, high) = bits
    }

    package func contains(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        return ((byte < 64 ? low : high) &>> UInt64(byte)) & 1 == 1
    }

    /// Whether all bytes of the string are in the set.
    package func containsAll(of text: String) -> Bool {
        text.withBytes { unsafe containsAll($0) }
    }

    /// Whether all bytes are in the set.
    package func containsAll(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // A closure, because a reference to the method allocates.
        unsafe bytes.allSatisfy { contains($0) }
    }
}

extension Sequence<UInt8> {
    /// The bytes as lowercase hexadecimal digits.
    // Inlinable, so that it is specialized: every response from a cache needs one.
    @inlinable package var hexadecimal: String {
        var text: [UInt8] = []
        for byte in self { for digit in [byte >> 4, byte & 15] { text.append(digit + (digit < 10 ? 48 : 87)) } }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes in the URL-safe alphabet of Base64, without padding (RFC 4648 §5).
    package var base64URL: String {
        String(Data(self).base64EncodedString().prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}
