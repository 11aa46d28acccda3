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
    static func sha512_256(_ message: some Collection<UInt8>) -> [UInt8] { digest(of: message, .sha512_256) }

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
