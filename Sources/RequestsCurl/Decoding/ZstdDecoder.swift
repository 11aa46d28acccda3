import CRequestsCurl
import Requests

/// Decodes `zstd` with libzstd.
@safe final class ZstdDecoder: ContentDecoder {
    @safe private struct Library: Sendable {
        typealias Buffer = UnsafeMutablePointer<crc_zstd_buffer>
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

    init() throws(TransportError) {
        guard let library = Library.shared else { throw .unsupported("can't decode zstd: libzstd isn't loaded") }
        guard let state = unsafe library.create() else { throw .outOfMemory(creating: "a zstd decoder") }
        self.library = library
        unsafe self.state = state
        // Parameter 100 is the maximum window size as a power of two: 2²³ bytes, 8 MiB (RFC 9659 §3).
        _ = unsafe library.setParameter(state, 100, 23)
    }

    deinit { _ = unsafe library.free(state) }

    func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFault) -> DecodingStep {
        // The library only reads from the input.
        let readable = unsafe UnsafeMutableRawPointer(mutating: input.baseAddress)
        var source = unsafe crc_zstd_buffer(bytes: readable, size: input.count, position: 0)
        var target = unsafe crc_zstd_buffer(bytes: output.baseAddress, size: output.count, position: 0)
        let result = unsafe library.decompress(state, &target, &source)
        guard library.isError(result) == 0 else { throw DecodingFault(reason: "libzstd found invalid data") }
        return unsafe DecodingStep(consumed: source.position, produced: target.position, isEnd: result == 0)
    }

    /// Several frames may follow each other (RFC 8878 §3).
    func startOver() -> Bool { true }
}
