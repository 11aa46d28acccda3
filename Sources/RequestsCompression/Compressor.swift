import CZlib
import Requests

/// A compressor that uses zlib.
@safe final class Compressor {
    /// The error if zlib can't compress, usually because the system is out of memory.
    struct Failure: Error {
        let code: Int32
    }

    // zlib keeps a pointer to the structure, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    init(_ coding: ContentCoding, level: Int32) throws {
        unsafe stream.initialize(to: z_stream())
        let code = unsafe deflate_init(stream, level, coding.windowBits)
        guard code == Z_OK else { throw Failure(code: code) }
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Compresses data, and returns the bytes that are ready, possibly none.
    func compress(_ data: Data) throws -> Data {
        try unsafe data.withUnsafeBytes { try unsafe run($0, Z_NO_FLUSH) }
    }

    /// Ends the stream, and returns the remaining compressed bytes.
    func finish() throws -> Data {
        try unsafe run(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH)
    }

    private func run(_ input: UnsafeRawBufferPointer, _ flush: Int32) throws -> Data {
        var output = Data()
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        // The input is passed in pieces, because zlib counts bytes with 32 bits.
        var rest = unsafe input[...]
        repeat {
            let piece = unsafe UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            unsafe rest = rest.dropFirst(piece.count)
            unsafe stream.pointee.next_in = UnsafeMutablePointer(
                mutating: piece.bindMemory(to: UInt8.self).baseAddress
            )
            unsafe stream.pointee.avail_in = UInt32(piece.count)
            repeat {
                let (code, count) = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
                    unsafe stream.pointee.next_out = buffer.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(buffer.count)
                    let code = unsafe deflate(stream, flush)
                    return unsafe (code, buffer.count - Int(stream.pointee.avail_out))
                }
                // Z_BUF_ERROR isn't a failure: zlib had nothing to do.
                guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { throw Failure(code: code) }
                output += buffer[..<count]
            } while unsafe stream.pointee.avail_out == 0
        } while unsafe !rest.isEmpty
        return output
    }
}
