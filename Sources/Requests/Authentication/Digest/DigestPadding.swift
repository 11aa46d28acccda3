/// What MD5 and SHA-2 have in common: blocks of 16 words, a one, zeros and the length in bits at the end.
enum DigestPadding {
    static func blocks(of message: [UInt8], size: Int, lengthIsBigEndian: Bool) -> [ArraySlice<UInt8>] {
        let lengthSize = size / 8
        var bytes = message + [0x80]
        bytes += [UInt8](repeating: 0, count: (2 * size - lengthSize - bytes.count % size) % size)
        let length = UInt64(message.count) &* 8
        bytes += (0..<lengthSize).map { index in
            UInt8(truncatingIfNeeded: length >> UInt64((lengthIsBigEndian ? lengthSize - 1 - index : index) * 8))
        }
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<$0 + size])[...] }
    }
}
