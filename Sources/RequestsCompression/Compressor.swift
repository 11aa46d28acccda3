import CZlib
import Requests

/// A compressor that uses zlib.
@safe final class Compressor {
    /// The error if zlib can't compress, usually because the system is out of memory.
    struct Failure: Error {
        let code: Int32
    }

    private let zlib: Zlib
    // zlib keeps a pointer to the structure, so it must not move.
    private let stream = Zlib.Stream.allocate(capacity: 1)

    init(_ coding: ContentCoding, level: Int32) throws {
        unsafe stream.initialize(to: zlib_stream())
        guard let zlib = Zlib.shared else {
            unsafe stream.deallocate()
            let message = "The body can't be compressed, because \(Zlib.missing)."
            throw RequestError(code: .unsupportedBody, subject: "body", message: message)
        }
        self.zlib = zlib
        let code = unsafe zlib.startDeflating(stream, level: level, windowBits: coding.windowBits)
        guard code == Zlib.Code.ok else { throw Failure(code: code) }
    }

    deinit {
        _ = unsafe zlib.endDeflating(stream)
        unsafe stream.deallocate()
    }

    /// Compresses data, and returns the bytes that are ready, possibly none.
    func compress(_ data: Data) throws -> Data {
        try unsafe data.withUnsafeBytes { try unsafe run($0, Zlib.Flush.none) }
    }

    /// Ends the stream, and returns the remaining compressed bytes.
    func finish() throws -> Data {
        try unsafe run(UnsafeRawBufferPointer(start: nil, count: 0), Zlib.Flush.finish)
    }

    private func run(_ input: UnsafeRawBufferPointer, _ flush: Int32) throws -> Data {
        var output = Data()
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        // The input is passed in pieces, because zlib counts bytes with 32 bits.
        var rest = unsafe input[...]
        repeat {
            let piece = unsafe UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            unsafe rest = rest.dropFirst(piece.count)
            unsafe stream.pointee.next_in = piece.bindMemory(to: UInt8.self).baseAddress
            unsafe stream.pointee.avail_in = UInt32(piece.count)
            repeat {
                let (code, count) = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
                    unsafe stream.pointee.next_out = buffer.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(buffer.count)
                    let code = unsafe zlib.deflate(stream, flush)
                    return unsafe (code, buffer.count - Int(stream.pointee.avail_out))
                }
                if Zlib.Code.isFailure(code) { throw Failure(code: code) }
                output += buffer[..<count]
            } while unsafe stream.pointee.avail_out == 0
        } while unsafe !rest.isEmpty
        return output
    }
}
