import CRequestsCurl
import Requests

/// Decodes `gzip` and `deflate` with zlib.
@safe final class Inflater: ContentDecoder {
    enum Format {
        case gzip
        case deflate
    }

    private static let largestWindow: Int32 = 15
    private let format: Format
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var hasStarted = false

    init(_ format: Format) throws(TransportError) {
        unsafe stream.initialize(to: z_stream())
        self.format = format
        // Adding 16 selects the gzip format.
        let code = unsafe crc_inflate_init(stream, Inflater.largestWindow + (format == .gzip ? 16 : 0))
        guard code == Z_OK else {
            unsafe stream.deallocate()
            if code == Z_MEM_ERROR { throw .outOfMemory(creating: "a \(format) decoder") }
            throw .unsupported("can't decode \(format): zlib reports error \(code); install another version")
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFault) -> DecodingStep {
        if !hasStarted, let first = unsafe input.first {
            hasStarted = true
            // zlib's header starts with method 8 (RFC 1950 §2.2). A negative window size means no header.
            if format == .deflate, first & 0x0F != 8 { unsafe inflateReset2(stream, -Inflater.largestWindow) }
        }
        let (inCount, outCount) = (UInt32(clamping: input.count), UInt32(clamping: output.count))
        // zlib doesn't write to its input.
        unsafe stream.pointee.next_in = input.baseAddress.map {
            unsafe UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self))
        }
        unsafe stream.pointee.avail_in = inCount
        unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.avail_out = outCount
        let code = unsafe inflate(stream, Z_NO_FLUSH)
        // Z_BUF_ERROR isn't a failure: zlib had nothing to do.
        guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(code) else {
            let reason = unsafe stream.pointee.msg.map { unsafe String(cString: $0) }
            throw DecodingFault(reason: reason ?? "zlib error \(code)")
        }
        return unsafe DecodingStep(
            consumed: Int(inCount - stream.pointee.avail_in),
            produced: Int(outCount - stream.pointee.avail_out),
            isEnd: code == Z_STREAM_END
        )
    }

    /// Only gzip allows several members in a row (RFC 1952 §2.2).
    func startOver() -> Bool {
        unsafe format == .gzip && inflateReset2(stream, Inflater.largestWindow + 16) == Z_OK
    }
}
