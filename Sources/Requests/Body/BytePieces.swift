import Foundation

/// A sequence of single bytes, in pieces of 16 KiB.
struct BytePieces<Bytes: AsyncSequence & Sendable>: AsyncSequence, Sendable where Bytes.Element == UInt8 {
    let bytes: Bytes

    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        private static var size: Int { 16 << 10 }

        fileprivate var bytes: Bytes.AsyncIterator
        private var isOver = false

        fileprivate init(bytes: Bytes.AsyncIterator) {
            self.bytes = bytes
        }

        mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            var piece = Data()
            while !isOver, piece.count < Iterator.size {
                if let byte = try await bytes.next(isolation: actor) { piece.append(byte) } else { isOver = true }
            }
            return piece.isEmpty ? nil : piece
        }
    }
}
