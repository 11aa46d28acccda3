import Foundation
import NIOCore

/// A stream of a given length, whose bytes are made when they are read.
final class Zeros: InputStream {
    private var left: Int64

    init(count: Int64) {
        left = count
        super.init(data: Data())
    }

    override func open() {}
    override func close() {}
    override var hasBytesAvailable: Bool { left > 0 }
    override var streamStatus: Stream.Status { left > 0 ? .open : .atEnd }
    override var streamError: (any Error)? { nil }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        let count = min(maxLength, Int(left))
        buffer.update(repeating: UInt8(ascii: "x"), count: count)
        left -= Int64(count)
        return count
    }
}

/// The same for AsyncHTTPClient.
struct Pieces: AsyncSequence, Sendable {
    let count: Int64

    struct AsyncIterator: AsyncIteratorProtocol {
        var left: Int64

        mutating func next() async -> ByteBuffer? {
            guard left > 0 else { return nil }
            let size = Int(Swift.min(left, 64 << 10))
            left -= Int64(size)
            return ByteBuffer(repeating: UInt8(ascii: "x"), count: size)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(left: count) }
}
