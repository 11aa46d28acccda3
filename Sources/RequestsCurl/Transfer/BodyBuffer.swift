import Foundation

/// What comes of a body in one turn of the loop, or in a few that follow at once. Libcurl hands it over in pieces of at
/// most 16 KiB, however much it has read: each piece alone to the reader would cost more than the copying.
struct BodyBuffer: ~Copyable {
    /// Libcurl's largest piece, after which there is probably more, and how much is kept for the reader.
    private static let pieceSize = 16 << 10
    static let limit = 256 << 10

    private var bytes: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0

    init() {}

    deinit { free(bytes) }

    /// - Returns: `false` when there is no memory for it.
    mutating func append(_ piece: UnsafeRawBufferPointer) -> Bool {
        if count + piece.count > capacity {
            let isMoreLikely = count > 0 || piece.count >= BodyBuffer.pieceSize
            let size = isMoreLikely ? max(BodyBuffer.limit, count + piece.count) : piece.count
            guard let larger = realloc(bytes, size) else { return false }
            (bytes, capacity) = (larger, size)
        }
        guard let bytes, let start = piece.baseAddress else { return true }
        memcpy(bytes + count, start, piece.count)
        count += piece.count
        return true
    }

    /// Takes everything out; `nil` for nothing.
    mutating func take() -> Data? {
        guard let whole = bytes.take() else { return nil }
        defer { (capacity, count) = (0, 0) }
        // A reader that is behind must not hold more memory than bytes.
        let bytes = count < capacity / 2 ? realloc(whole, count) ?? whole : whole
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }
}
