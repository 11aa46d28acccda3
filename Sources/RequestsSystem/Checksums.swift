/// The checksums of the pieces of a body that arrives in chunks (FNV-1a).
package struct Checksums: Sendable {
    /// The length of a piece.
    package static let piece: Int64 = 64 << 10
    private static let empty: UInt64 = 0xCBF2_9CE4_8422_2325

    package private(set) var values: [UInt64] = []
    /// The room in the last piece.
    private var rest = 0

    package init(of bytes: Data = Data()) { add(bytes) }

    package mutating func add(_ bytes: Data) {
        var bytes = bytes
        while !bytes.isEmpty {
            if rest == 0 {
                values.append(Checksums.empty)
                rest = Int(clamping: Checksums.piece)
            }
            let part = bytes.prefix(rest)
            values.append(Checksums.value(of: part, after: values.removeLast()))
            rest -= part.count
            bytes = bytes.dropFirst(part.count)
        }
    }

    private static func value(of bytes: Data, after start: UInt64) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe $0.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
    }

    /// The checksum of bytes as 16 hexadecimal digits.
    package static func text(of bytes: Data) -> String {
        let digits = String(value(of: bytes, after: empty), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
