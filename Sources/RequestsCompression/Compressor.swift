import CZlib
import Foundation

/// A zlib stream that compresses.
final class Compressor {
    /// zlib refused to compress, for lack of memory.
    struct Failure: Error {
        let code: Int32
    }

    // zlib keeps a pointer to the structure, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    init(_ coding: ContentCoding, level: Int32) throws {
        stream.initialize(to: z_stream())
        let code = deflate_init(stream, level, coding.windowBits)
        guard code == Z_OK else { throw Failure(code: code) }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Returns the compressed bytes that are ready. May be empty.
    func compress(_ data: Data) throws -> Data {
        try data.withUnsafeBytes { try run($0, Z_NO_FLUSH) }
    }

    /// Returns the rest of the compressed bytes.
    func finish() throws -> Data {
        try run(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH)
    }

    private func run(_ input: UnsafeRawBufferPointer, _ flush: Int32) throws -> Data {
        var output = Data()
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        // zlib counts with 32 bits.
        var rest = input[...]
        repeat {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            rest = rest.dropFirst(piece.count)
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: piece.bindMemory(to: UInt8.self).baseAddress
            )
            stream.pointee.avail_in = UInt32(piece.count)
            repeat {
                let (code, count) = buffer.withUnsafeMutableBufferPointer { buffer in
                    stream.pointee.next_out = buffer.baseAddress
                    stream.pointee.avail_out = UInt32(buffer.count)
                    let code = deflate(stream, flush)
                    return (code, buffer.count - Int(stream.pointee.avail_out))
                }
                // Z_BUF_ERROR: there was nothing to do.
                guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { throw Failure(code: code) }
                output += buffer[..<count]
            } while stream.pointee.avail_out == 0
        } while !rest.isEmpty
        return output
    }
}
