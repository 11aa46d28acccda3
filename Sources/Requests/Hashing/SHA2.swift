/// The digests SHA-256, SHA-512 and SHA-512/256.
///
/// Specification: RFC 6234 §5, §6; FIPS 180-4 §5.3.6.2, §6.7 for SHA-512/256.
package enum SHA2 {
    /// An algorithm and its initial state.
    package enum Algorithm: Sendable {
        case sha256
        case sha512
        case sha512_256
    }

    package static func sha256(_ message: some Collection<UInt8>) -> [UInt8] { digest(of: message, .sha256) }
    package static func sha512(_ message: some Collection<UInt8>) -> [UInt8] { digest(of: message, .sha512) }
    package static func sha512_256(_ message: some Collection<UInt8>) -> [UInt8] { digest(of: message, .sha512_256) }

    private static func digest(of message: some Collection<UInt8>, _ algorithm: Algorithm) -> [UInt8] {
        var hasher = Hasher(algorithm)
        hasher.update(message)
        return hasher.finalize()
    }

    /// A digest of bytes that arrive in pieces.
    package struct Hasher: Sendable {
        private enum State {
            case short(SIMD8<UInt32>)
            case long(SIMD8<UInt64>)
        }

        private let algorithm: Algorithm
        private var state: State
        /// The start of the next block.
        private var rest: [UInt8] = []
        private var count: UInt64 = 0

        package init(_ algorithm: Algorithm) {
            self.algorithm = algorithm
            state =
                switch algorithm {
                case .sha256: .short(SHA2.initial256)
                case .sha512: .long(SHA2.initial512)
                case .sha512_256: .long(SHA2.initial512_256)
                }
        }

        private var blockSize: Int { algorithm == .sha256 ? 64 : 128 }

        /// Adds bytes. Copies at most a block of them if they are contiguous.
        package mutating func update(_ bytes: some Collection<UInt8>) {
            let isDone: Void? = bytes.withContiguousStorageIfAvailable { unsafe update(UnsafeRawBufferPointer($0)) }
            if isDone == nil { unsafe Array(bytes).withUnsafeBytes { unsafe update($0) } }
        }

        private mutating func update(_ bytes: UnsafeRawBufferPointer) {
            count &+= UInt64(bytes.count)
            var start = 0
            if !rest.isEmpty {
                start = min(blockSize - rest.count, bytes.count)
                unsafe rest.append(contentsOf: bytes[..<start])
                guard rest.count == blockSize else { return }
                unsafe rest.withUnsafeBytes { unsafe add($0) }
                rest.removeAll(keepingCapacity: true)
            }
            let end = bytes.count - (bytes.count - start) % blockSize
            unsafe add(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            unsafe rest.append(contentsOf: bytes[end...])
        }

        /// Adds whole blocks.
        private mutating func add(_ blocks: UnsafeRawBufferPointer) {
            switch state {
            case .short(var words):
                unsafe SHA2.compress(blocks, into: &words)
                state = .short(words)
            case .long(var words):
                unsafe SHA2.compress(blocks, into: &words)
                state = .long(words)
            }
        }

        /// Ends the message.
        ///
        /// - Returns: The digest of all bytes.
        package consuming func finalize() -> [UInt8] {
            // The length takes an eighth of a block, after a one bit and zeros.
            let zeros = (2 * blockSize - blockSize / 8 - (rest.count + 1) % blockSize) % blockSize
            var padding = [UInt8](repeating: 0, count: 1 + zeros + blockSize / 8 - 8)
            padding[0] = 0x80
            unsafe withUnsafeBytes(of: (count &* 8).bigEndian) { unsafe padding.append(contentsOf: $0) }
            update(padding)
            let digest =
                switch state {
                case .short(let words): SHA2.bytes(of: words)
                case .long(let words): SHA2.bytes(of: words)
                }
            return algorithm == .sha512_256 ? Array(digest.prefix(32)) : digest
        }
    }

    private static func bytes<Word: FixedWidthInteger & SIMDScalar>(of words: SIMD8<Word>) -> [UInt8] {
        var words = words
        for index in words.indices { words[index] = words[index].bigEndian }
        return unsafe withUnsafeBytes(of: words) { unsafe Array($0) }
    }
}

/// The compression function, inlined once for each size of word, because a generic one isn't specialized for other
/// modules.
extension SHA2 {
    /// The rounds of SHA-256 for each block of 64 bytes.
    static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout SIMD8<UInt32>) {
        let shifts: Shifts = (early: (7, 18, 3), late: (17, 19, 10), e: (6, 11, 25), a: (2, 13, 22))
        unsafe compress(blocks, into: &state, adding: shortConstants, shifts)
    }

    /// The rounds of SHA-512 for each block of 128 bytes.
    static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout SIMD8<UInt64>) {
        let shifts: Shifts = (early: (1, 8, 7), late: (19, 61, 6), e: (14, 18, 41), a: (28, 34, 39))
        unsafe compress(blocks, into: &state, adding: constants, shifts)
    }

    /// The distances of the functions σ0, σ1, Σ1 and Σ0.
    private typealias Shifts = (early: (Int, Int, Int), late: (Int, Int, Int), e: (Int, Int, Int), a: (Int, Int, Int))

    @inline(__always)
    private static func compress<Word: FixedWidthInteger & SIMDScalar>(
        _ blocks: UnsafeRawBufferPointer,
        into state: inout SIMD8<Word>,
        adding constants: [Word],
        _ shifts: Shifts
    ) {
        let size = Word.bitWidth / 8
        unsafe withUnsafeTemporaryAllocation(of: Word.self, capacity: constants.count) { words in
            for start in stride(from: 0, to: blocks.count, by: 16 * size) {
                for index in 0..<16 {
                    let word = unsafe blocks.loadUnaligned(fromByteOffset: start + index * size, as: Word.self)
                    unsafe words[index] = Word(bigEndian: word)
                }
                for index in 16..<words.count {
                    let (early, late) = unsafe (words[index - 15], words[index - 2])
                    let first = rotated(early, shifts.early.0) ^ rotated(early, shifts.early.1)
                    let second = rotated(late, shifts.late.0) ^ rotated(late, shifts.late.1)
                    let sum = unsafe words[index - 16] &+ words[index - 7]
                    let mixed = (first ^ early &>> Word(shifts.early.2)) &+ (second ^ late &>> Word(shifts.late.2))
                    unsafe words[index] = sum &+ mixed
                }
                for index in words.indices { unsafe words[index] &+= constants[index] }
                unsafe add(UnsafeBufferPointer(words), to: &state, shifts)
            }
        }
    }

    @inline(__always)
    private static func add<Word: FixedWidthInteger & SIMDScalar>(
        _ words: UnsafeBufferPointer<Word>,
        to state: inout SIMD8<Word>,
        _ shifts: Shifts
    ) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        // Eight rounds rotate the variables back to their places.
        for index in stride(from: 0, to: words.count, by: 8) {
            unsafe round(a, b, c, &d, e, f, g, &h, words[index], shifts)
            unsafe round(h, a, b, &c, d, e, f, &g, words[index + 1], shifts)
            unsafe round(g, h, a, &b, c, d, e, &f, words[index + 2], shifts)
            unsafe round(f, g, h, &a, b, c, d, &e, words[index + 3], shifts)
            unsafe round(e, f, g, &h, a, b, c, &d, words[index + 4], shifts)
            unsafe round(d, e, f, &g, h, a, b, &c, words[index + 5], shifts)
            unsafe round(c, d, e, &f, g, h, a, &b, words[index + 6], shifts)
            unsafe round(b, c, d, &e, f, g, h, &a, words[index + 7], shifts)
        }
        state &+= SIMD8(a, b, c, d, e, f, g, h)
    }

    @inline(__always)
    private static func round<Word: FixedWidthInteger>(
        _ a: Word,
        _ b: Word,
        _ c: Word,
        _ d: inout Word,
        _ e: Word,
        _ f: Word,
        _ g: Word,
        _ h: inout Word,
        _ word: Word,
        _ shifts: Shifts
    ) {
        let high = rotated(e, shifts.e.0) ^ rotated(e, shifts.e.1) ^ rotated(e, shifts.e.2)
        let low = rotated(a, shifts.a.0) ^ rotated(a, shifts.a.1) ^ rotated(a, shifts.a.2)
        let sum = h &+ high &+ (g ^ (e & (f ^ g))) &+ word
        d = d &+ sum
        h = sum &+ low &+ ((a & b) | (c & (a | b)))
    }

    @inline(__always)
    private static func rotated<Word: FixedWidthInteger>(_ word: Word, _ bits: Int) -> Word {
        word &>> Word(bits) | word &<< Word(Word.bitWidth - bits)
    }

    /// The upper halves of the state of SHA-512.
    static let initial256 = SIMD8<UInt32>(truncatingIfNeeded: initial512 &>> 32)

    static let initial512: SIMD8<UInt64> = [
        0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1,
        0x510E_527F_ADE6_82D1, 0x9B05_688C_2B3E_6C1F, 0x1F83_D9AB_FB41_BD6B, 0x5BE0_CD19_137E_2179,
    ]

    static let initial512_256: SIMD8<UInt64> = [
        0x2231_2194_FC2B_F72C, 0x9F55_5FA3_C84C_64C2, 0x2393_B86B_6F53_B151, 0x9638_7719_5940_EABD,
        0x9628_3EE2_A88E_FFE3, 0xBE5E_1E25_5386_3992, 0x2B01_99FC_2C85_B8AA, 0x0EB7_2DDC_81C5_2CA2,
    ]

    private static let shortConstants = constants.prefix(64).map { UInt32($0 >> 32) }

    /// The constants of SHA-512. SHA-256 uses the upper halves of the first 64.
    private static let constants: [UInt64] = [
        0x428A_2F98_D728_AE22, 0x7137_4491_23EF_65CD, 0xB5C0_FBCF_EC4D_3B2F, 0xE9B5_DBA5_8189_DBBC,
        0x3956_C25B_F348_B538, 0x59F1_11F1_B605_D019, 0x923F_82A4_AF19_4F9B, 0xAB1C_5ED5_DA6D_8118,
        0xD807_AA98_A303_0242, 0x1283_5B01_4570_6FBE, 0x2431_85BE_4EE4_B28C, 0x550C_7DC3_D5FF_B4E2,
        0x72BE_5D74_F27B_896F, 0x80DE_B1FE_3B16_96B1, 0x9BDC_06A7_25C7_1235, 0xC19B_F174_CF69_2694,
        0xE49B_69C1_9EF1_4AD2, 0xEFBE_4786_384F_25E3, 0x0FC1_9DC6_8B8C_D5B5, 0x240C_A1CC_77AC_9C65,
        0x2DE9_2C6F_592B_0275, 0x4A74_84AA_6EA6_E483, 0x5CB0_A9DC_BD41_FBD4, 0x76F9_88DA_8311_53B5,
        0x983E_5152_EE66_DFAB, 0xA831_C66D_2DB4_3210, 0xB003_27C8_98FB_213F, 0xBF59_7FC7_BEEF_0EE4,
        0xC6E0_0BF3_3DA8_8FC2, 0xD5A7_9147_930A_A725, 0x06CA_6351_E003_826F, 0x1429_2967_0A0E_6E70,
        0x27B7_0A85_46D2_2FFC, 0x2E1B_2138_5C26_C926, 0x4D2C_6DFC_5AC4_2AED, 0x5338_0D13_9D95_B3DF,
        0x650A_7354_8BAF_63DE, 0x766A_0ABB_3C77_B2A8, 0x81C2_C92E_47ED_AEE6, 0x9272_2C85_1482_353B,
        0xA2BF_E8A1_4CF1_0364, 0xA81A_664B_BC42_3001, 0xC24B_8B70_D0F8_9791, 0xC76C_51A3_0654_BE30,
        0xD192_E819_D6EF_5218, 0xD699_0624_5565_A910, 0xF40E_3585_5771_202A, 0x106A_A070_32BB_D1B8,
        0x19A4_C116_B8D2_D0C8, 0x1E37_6C08_5141_AB53, 0x2748_774C_DF8E_EB99, 0x34B0_BCB5_E19B_48A8,
        0x391C_0CB3_C5C9_5A63, 0x4ED8_AA4A_E341_8ACB, 0x5B9C_CA4F_7763_E373, 0x682E_6FF3_D6B2_B8A3,
        0x748F_82EE_5DEF_B2FC, 0x78A5_636F_4317_2F60, 0x84C8_7814_A1F0_AB72, 0x8CC7_0208_1A64_39EC,
        0x90BE_FFFA_2363_1E28, 0xA450_6CEB_DE82_BDE9, 0xBEF9_A3F7_B2C6_7915, 0xC671_78F2_E372_532B,
        0xCA27_3ECE_EA26_619C, 0xD186_B8C7_21C0_C207, 0xEADA_7DD6_CDE0_EB1E, 0xF57D_4F7F_EE6E_D178,
        0x06F0_67AA_7217_6FBA, 0x0A63_7DC5_A2C8_98A6, 0x113F_9804_BEF9_0DAE, 0x1B71_0B35_131C_471B,
        0x28DB_77F5_2304_7D84, 0x32CA_AB7B_40C7_2493, 0x3C9E_BE0A_15C9_BEBC, 0x431D_67C4_9C10_0D4C,
        0x4CC5_D4BE_CB3E_42B6, 0x597F_299C_FC65_7E2A, 0x5FCB_6FAB_3AD6_FAEC, 0x6C44_198C_4A47_5817,
    ]
}

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
