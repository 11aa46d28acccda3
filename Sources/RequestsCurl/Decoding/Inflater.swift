import CRequestsCurl
import Requests

/// Undoes `gzip` and `deflate` with zlib.
final class Inflater: ContentDecoder {
    enum Format {
        case gzip
        case deflate
    }

    private struct Library: Sendable {
        typealias Stream = UnsafeMutablePointer<crc_inflate_stream>

        let initialize: @convention(c) (Stream, Int32, UnsafePointer<CChar>, Int32) -> Int32
        let inflate: @convention(c) (Stream, Int32) -> Int32
        let reset: @convention(c) (Stream, Int32) -> Int32
        let end: @convention(c) (Stream) -> Int32

        static let shared: Library? = {
            guard
                let initialize = ProcessSymbols.find(
                    "inflateInit2_",
                    as: (@convention(c) (Stream, Int32, UnsafePointer<CChar>, Int32) -> Int32).self
                ),
                let inflate = ProcessSymbols.find("inflate", as: (@convention(c) (Stream, Int32) -> Int32).self),
                let reset = ProcessSymbols.find("inflateReset2", as: (@convention(c) (Stream, Int32) -> Int32).self),
                let end = ProcessSymbols.find("inflateEnd", as: (@convention(c) (Stream) -> Int32).self)
            else { return nil }
            return Library(initialize: initialize, inflate: inflate, reset: reset, end: end)
        }()
    }

    private static let largestWindow: Int32 = 15
    private let library: Library
    private let format: Format
    private let stream = UnsafeMutablePointer<crc_inflate_stream>.allocate(capacity: 1)
    private var hasStarted = false

    init(_ format: Format) throws(TransportError) {
        stream.initialize(to: crc_inflate_stream())
        guard let library = Library.shared else {
            stream.deallocate()
            throw .unsupported("zlib is not in this process")
        }
        self.library = library
        self.format = format
        // 16 more means the wrapper of gzip.
        let window = Inflater.largestWindow + (format == .gzip ? 16 : 0)
        let size = Int32(MemoryLayout<crc_inflate_stream>.size)
        guard library.initialize(stream, window, "1.2.11", size) == 0 else {
            throw .unsupported("zlib cannot be used")
        }
    }

    deinit {
        _ = library.end(stream)
        stream.deallocate()
    }

    func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFault) -> DecodingStep {
        if !hasStarted, let first = input.first {
            hasStarted = true
            // The wrapper of zlib starts with method 8 and a checksum (RFC 1950 §2.2); a negative window means none.
            if format == .deflate, first & 0x0F != 8 { _ = library.reset(stream, -Inflater.largestWindow) }
        }
        let (inCount, outCount) = (UInt32(clamping: input.count), UInt32(clamping: output.count))
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.available_in = inCount
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.available_out = outCount
        let code = library.inflate(stream, 0)
        // 1 is the end, −5 that there was nothing to do.
        guard [0, 1, -5].contains(code) else {
            throw DecodingFault(reason: stream.pointee.message.map { String(cString: $0) } ?? "zlib says \(code)")
        }
        return DecodingStep(
            consumed: Int(inCount - stream.pointee.available_in),
            produced: Int(outCount - stream.pointee.available_out),
            isEnd: code == 1
        )
    }

    /// Only members of gzip may follow each other (RFC 1952 §2.2).
    func startOver() -> Bool {
        format == .gzip && library.reset(stream, Inflater.largestWindow + 16) == 0
    }
}
