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
