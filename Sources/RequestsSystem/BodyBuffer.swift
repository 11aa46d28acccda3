/// Coalesces pieces of 16 KiB, because a copy is cheaper than a wake-up of the reader.
@safe package struct BodyBuffer: ~Copyable {
    /// The usual size of the largest piece, after which more data is likely, and the most bytes to coalesce.
    private static let pieceSize = 16 << 10
    package static let limit = 256 << 10

    private var bytes: UnsafeMutableRawPointer?
    private var capacity = 0
    package private(set) var count = 0

    package init() {}

    deinit { unsafe free(bytes) }

    /// - Returns: `false` if the system is out of memory.
    package mutating func append(_ piece: UnsafeRawBufferPointer) -> Bool {
        if count + piece.count > capacity {
            let isMoreLikely = max(count, piece.count) >= BodyBuffer.pieceSize
            let size = max(count + piece.count, isMoreLikely ? BodyBuffer.limit : 2 * capacity)
            guard let larger = unsafe realloc(bytes, size) else { return false }
            unsafe (bytes, capacity) = (larger, size)
        }
        guard let bytes = unsafe bytes, let start = piece.baseAddress else { return true }
        unsafe memcpy(bytes + count, start, piece.count)
        count += piece.count
        return true
    }

    package mutating func take() -> Data? {
        guard let whole = unsafe bytes.take() else { return nil }
        defer { (capacity, count) = (0, 0) }
        // Shrinks the buffer, because unread chunks must not waste memory.
        let bytes = unsafe count < capacity / 2 ? realloc(whole, count) ?? whole : whole
        return unsafe Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }
}
