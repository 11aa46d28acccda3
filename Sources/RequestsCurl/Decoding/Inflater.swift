import CRequestsCurl
import Requests

/// Decodes `gzip` and `deflate` with zlib.
final class Inflater: ContentDecoder {
    enum Format {
        case gzip
        case deflate
    }

    private static let largestWindow: Int32 = 15
    private let format: Format
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var hasStarted = false

    init(_ format: Format) throws(TransportError) {
        stream.initialize(to: z_stream())
        self.format = format
        // 16 more selects gzip.
        guard crc_inflate_init(stream, Inflater.largestWindow + (format == .gzip ? 16 : 0)) == Z_OK else {
            stream.deallocate()
            throw .unsupported("zlib has no memory for another body")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFault) -> DecodingStep {
        if !hasStarted, let first = input.first {
            hasStarted = true
            // zlib's wrapper starts with method 8 (RFC 1950 §2.2). A negative window means no wrapper.
            if format == .deflate, first & 0x0F != 8 { inflateReset2(stream, -Inflater.largestWindow) }
        }
        let (inCount, outCount) = (UInt32(clamping: input.count), UInt32(clamping: output.count))
        // zlib doesn't write to its input.
        stream.pointee.next_in = input.baseAddress.map {
            UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self))
        }
        stream.pointee.avail_in = inCount
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = outCount
        let code = inflate(stream, Z_NO_FLUSH)
        // Z_BUF_ERROR means that there was nothing to do.
        guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(code) else {
            throw DecodingFault(reason: stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(code)")
        }
        return DecodingStep(
            consumed: Int(inCount - stream.pointee.avail_in),
            produced: Int(outCount - stream.pointee.avail_out),
            isEnd: code == Z_STREAM_END
        )
    }

    /// Only gzip allows several members in a row (RFC 1952 §2.2).
    func startOver() -> Bool {
        format == .gzip && inflateReset2(stream, Inflater.largestWindow + 16) == Z_OK
    }
}
