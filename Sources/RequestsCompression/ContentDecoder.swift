import CZlib
import Requests
import RequestsSystem

/// A decoder for one content encoding, which takes the data in pieces.
package protocol ContentDecoder: AnyObject {
    /// Decodes as much of the input as fits into the output.
    ///
    /// - Throws: ``DecodingFault`` if the bytes aren't valid.
    func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFault) -> DecodingStep

    /// Prepares for more data after the end of the encoded data. Returns `false` if the format allows none.
    func startOver() -> Bool

    /// Whether zeros may follow the encoded data, as padding.
    var allowsPadding: Bool { get }
}

extension ContentDecoder {
    package var allowsPadding: Bool { false }
}

package struct DecodingStep {
    package var consumed: Int
    package var produced: Int
    package var isEnd: Bool
}

/// The reason why bytes can't be decoded.
package struct DecodingFault: Error {
    package enum Kind {
        /// The bytes aren't in the expected encoding.
        case invalid
        /// The process has no usable library for the encoding.
        case unavailable
        case outOfMemory
    }

    package let kind: Kind
    package let reason: String

    package init(_ reason: String, _ kind: Kind = .invalid) { (self.kind, self.reason) = (kind, reason) }
}

/// Decodes `gzip` and `deflate` with zlib.
@safe package final class Inflater: ContentDecoder {
    package enum Format {
        case gzip
        case deflate

        static let largestWindow: Int32 = 15

        /// Adding 16 selects the gzip format.
        var windowBits: Int32 { Format.largestWindow + (self == .gzip ? 16 : 0) }
    }

    private let format: Format
    private let zlib: Zlib
    private let stream = Zlib.Stream.allocate(capacity: 1)
    private var hasStarted = false

    package init(_ format: Format) throws(DecodingFault) {
        self.format = format
        guard let zlib = Zlib.shared else {
            unsafe stream.deallocate()
            throw DecodingFault(Zlib.missing, .unavailable)
        }
        self.zlib = zlib
        unsafe stream.initialize(to: zlib_stream())
        let code = unsafe zlib.startInflating(stream, windowBits: format.windowBits)
        guard code == Zlib.Code.ok else {
            unsafe stream.deallocate()
            if code == Zlib.Code.outOfMemory { throw DecodingFault("out of memory", .outOfMemory) }
            throw DecodingFault("zlib reports error \(code); install another version", .unavailable)
        }
    }

    deinit {
        _ = unsafe zlib.endInflating(stream)
        unsafe stream.deallocate()
    }

    /// Begins another stream.
    private func restart(windowBits: Int32) -> Bool {
        _ = unsafe zlib.endInflating(stream)
        unsafe stream.pointee = zlib_stream()
        return unsafe zlib.startInflating(stream, windowBits: windowBits) == Zlib.Code.ok
    }

    package func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFault) -> DecodingStep {
        if !hasStarted, let first = unsafe input.first {
            hasStarted = true
            // zlib's header starts with method 8 (RFC 1950 §2.2). A negative window size means no header.
            if format == .deflate, first & 0x0F != 8, !restart(windowBits: -Format.largestWindow) {
                throw DecodingFault("out of memory", .outOfMemory)
            }
        }
        let (inCount, outCount) = (UInt32(clamping: input.count), UInt32(clamping: output.count))
        unsafe stream.pointee.next_in = input.baseAddress.map { unsafe $0.assumingMemoryBound(to: UInt8.self) }
        unsafe stream.pointee.avail_in = inCount
        unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.avail_out = outCount
        let code = unsafe zlib.inflate(stream, Zlib.Flush.none)
        if Zlib.Code.isFailure(code) {
            let reason = unsafe stream.pointee.message.map { unsafe String(cString: $0) }
            throw DecodingFault(reason ?? "zlib error \(code)")
        }
        return unsafe DecodingStep(
            consumed: Int(inCount - stream.pointee.avail_in),
            produced: Int(outCount - stream.pointee.avail_out),
            isEnd: code == Zlib.Code.streamEnd
        )
    }

    /// As the gzip program does, because tapes and some servers fill the last block.
    package var allowsPadding: Bool { format == .gzip }

    /// Only gzip allows several members in a row (RFC 1952 §2.2).
    package func startOver() -> Bool {
        format == .gzip && restart(windowBits: format.windowBits)
    }
}

/// Decodes `br` with libbrotlidec.
@safe package final class BrotliDecoder: ContentDecoder {
    @safe private struct Library: Sendable {
        typealias Create = @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> OpaquePointer?
        typealias Decompress =
            @convention(c) (
                OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
                UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, OpaquePointer?
            ) -> Int32
        typealias Destroy = @convention(c) (OpaquePointer) -> Void

        let create: Create
        let decompress: Decompress
        let destroy: Destroy

        static let shared = try? unsafe Library(
            create: ProcessSymbols.find("BrotliDecoderCreateInstance"),
            decompress: ProcessSymbols.find("BrotliDecoderDecompressStream"),
            destroy: ProcessSymbols.find("BrotliDecoderDestroyInstance")
        )
    }

    private let library: Library
    private let state: OpaquePointer

    package init() throws(DecodingFault) {
        guard let library = Library.shared else { throw DecodingFault("libbrotlidec isn't loaded", .unavailable) }
        guard let state = unsafe library.create(nil, nil, nil) else {
            throw DecodingFault("out of memory", .outOfMemory)
        }
        self.library = library
        unsafe self.state = state
    }

    deinit { unsafe library.destroy(state) }

    package func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFault) -> DecodingStep {
        var (inCount, outCount) = (input.count, output.count)
        var nextIn = unsafe input.baseAddress.map { unsafe $0.assumingMemoryBound(to: UInt8.self) }
        var nextOut = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = unsafe library.decompress(state, &inCount, &nextIn, &outCount, &nextOut, nil)
        // 0 is an error and 1 the end. 2 means that more input is needed, and 3 more room for output.
        guard result != 0 else { throw DecodingFault("libbrotlidec found invalid data") }
        return DecodingStep(consumed: input.count - inCount, produced: output.count - outCount, isEnd: result == 1)
    }

    package func startOver() -> Bool { false }
}

/// Decodes `zstd` with libzstd.
@safe package final class ZstdDecoder: ContentDecoder {
    @safe private struct Library: Sendable {
        typealias Buffer = UnsafeMutablePointer<zstd_buffer>
        typealias Create = @convention(c) () -> OpaquePointer?
        typealias Decompress = @convention(c) (OpaquePointer, Buffer, Buffer) -> Int
        typealias SetParameter = @convention(c) (OpaquePointer, Int32, Int32) -> Int
        typealias IsError = @convention(c) (Int) -> UInt32
        typealias Free = @convention(c) (OpaquePointer) -> Int

        let create: Create
        let setParameter: SetParameter
        let decompress: Decompress
        let isError: IsError
        let free: Free

        static let shared = try? unsafe Library(
            create: ProcessSymbols.find("ZSTD_createDStream"),
            setParameter: ProcessSymbols.find("ZSTD_DCtx_setParameter"),
            decompress: ProcessSymbols.find("ZSTD_decompressStream"),
            isError: ProcessSymbols.find("ZSTD_isError"),
            free: ProcessSymbols.find("ZSTD_freeDStream")
        )
    }

    private let library: Library
    private let state: OpaquePointer

    package init() throws(DecodingFault) {
        guard let library = Library.shared else { throw DecodingFault("libzstd isn't loaded", .unavailable) }
        guard let state = unsafe library.create() else { throw DecodingFault("out of memory", .outOfMemory) }
        self.library = library
        unsafe self.state = state
        // Parameter 100 is the maximum window size as a power of two: 2²³ bytes, 8 MiB (RFC 9659 §3).
        _ = unsafe library.setParameter(state, 100, 23)
    }

    deinit { _ = unsafe library.free(state) }

    package func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFault) -> DecodingStep {
        // The library only reads from the input.
        let readable = unsafe UnsafeMutableRawPointer(mutating: input.baseAddress)
        var source = unsafe zstd_buffer(bytes: readable, size: input.count, position: 0)
        var target = unsafe zstd_buffer(bytes: output.baseAddress, size: output.count, position: 0)
        let result = unsafe library.decompress(state, &target, &source)
        guard library.isError(result) == 0 else { throw DecodingFault("libzstd found invalid data") }
        return unsafe DecodingStep(consumed: source.position, produced: target.position, isEnd: result == 0)
    }

    /// Several frames may follow each other (RFC 8878 §3).
    package func startOver() -> Bool { true }
}
