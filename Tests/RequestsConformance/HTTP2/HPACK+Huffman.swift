extension HPACK {
    /// The Huffman code (RFC 7541 Appendix B).
    enum Huffman {
        /// The number of bits of the code for each byte, followed by that of the end-of-string symbol.
        ///
        /// The code is canonical: codes of the same length are consecutive, in the order of their symbols.
        private static let lengths: [Int] = [
            13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28,
            28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6,
            6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7,
            8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7,
            15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24,
            23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23,
            23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26,
            26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20,
            21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27,
            27, 27, 26, 30,
        ]

        private struct Code: Hashable {
            let length: Int
            let bits: UInt32
        }

        private static let symbols: [Code: Int] = {
            var symbols: [Code: Int] = [:]
            var (length, bits) = (0, UInt32(0))
            for symbol in lengths.indices.sorted(by: { (lengths[$0], $0) < (lengths[$1], $1) }) {
                bits <<= UInt32(lengths[symbol] - length)
                length = lengths[symbol]
                symbols[Code(length: length, bits: bits)] = symbol
                bits += 1
            }
            return symbols
        }()

        static func decode(_ bytes: some Sequence<UInt8>) throws -> [UInt8] {
            var text: [UInt8] = []
            var (length, bits) = (0, UInt32(0))
            for byte in bytes {
                for shift in stride(from: 7, through: 0, by: -1) {
                    bits = bits << 1 | UInt32(byte >> UInt8(shift) & 1)
                    length += 1
                    guard let symbol = symbols[Code(length: length, bits: bits)] else { continue }
                    guard let character = UInt8(exactly: symbol) else { throw Malformed() }
                    text.append(character)
                    (length, bits) = (0, 0)
                }
            }
            // The remaining bits must be padding, the start of the end-of-string symbol, which is all ones (RFC 7541
            // §5.2).
            guard length < 8, bits == 1 << UInt32(length) - 1 else { throw Malformed() }
            return text
        }
    }
}
