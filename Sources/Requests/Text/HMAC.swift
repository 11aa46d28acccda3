/// HMAC with SHA-256.
///
/// Specification: RFC 2104.
package enum HMAC {
    package static func sha256(_ message: some Collection<UInt8>, key: some Collection<UInt8>) -> [UInt8] {
        let key = key.count > 64 ? SHA2.sha256(key) : Array(key)
        let padded = key + [UInt8](repeating: 0, count: 64 - key.count)
        var inner = SHA2.Hasher(.sha256)
        inner.update(padded.map { $0 ^ 0x36 })
        inner.update(message)
        return SHA2.sha256(padded.map { $0 ^ 0x5C } + inner.finalize())
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
