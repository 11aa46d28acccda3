/// A sequence of single bytes, grouped into chunks of 16 KiB.
struct ByteChunks<Bytes: AsyncSequence & Sendable>: AsyncSequence, Sendable where Bytes.Element == UInt8 {
    let bytes: Bytes

    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        private static var size: Int { 16 << 10 }

        fileprivate var bytes: Bytes.AsyncIterator
        private var isAtEnd = false

        fileprivate init(bytes: Bytes.AsyncIterator) {
            self.bytes = bytes
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            var chunk = Data()
            while !isAtEnd, chunk.count < Iterator.size {
                if let byte = try await bytes.next(isolation: actor) { chunk.append(byte) } else { isAtEnd = true }
            }
            return chunk.isEmpty ? nil : chunk
        }
    }
}
