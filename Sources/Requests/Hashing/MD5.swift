#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The MD5 digest, for servers that still require it in digest authentication. It isn't secure.
///
/// Specification: RFC 1321.
package enum MD5 {
    package static func hash(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for block in blocks(of: message) {
            let words = stride(from: 0, to: 64, by: 4).map { start in
                block[start..<start + 4].reversed().reduce(0) { UInt32($0) << 8 | UInt32($1) }
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            for step in 0..<64 {
                let (mix, word): (UInt32, Int) =
                    switch step / 16 {
                    case 0: ((b & c) | (~b & d), step)
                    case 1: ((d & b) | (~d & c), (5 * step + 1) % 16)
                    case 2: (b ^ c ^ d, (3 * step + 5) % 16)
                    default: (c ^ (b | ~d), (7 * step) % 16)
                    }
                let sum = a &+ mix &+ sines[step] &+ words[word]
                let shift = shifts[step / 16 * 4 + step % 4]
                (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 - shift)))
            }
            for (index, value) in [a, b, c, d].enumerated() { state[index] &+= value }
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32($0 * 8)) } }
    }

    private static let shifts: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]

    private static let sines = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }

    /// The message with its padding: a one bit, zeros, and the length in bits.
    private static func blocks(of message: [UInt8]) -> [[UInt8]] {
        var bytes = message + [0x80]
        bytes += [UInt8](repeating: 0, count: (120 - bytes.count % 64) % 64)
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: (UInt64(message.count) &* 8) >> UInt64($0 * 8)) }
        return stride(from: 0, to: bytes.count, by: 64).map { Array(bytes[$0..<$0 + 64]) }
    }
}
