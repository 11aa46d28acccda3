import Requests

/// Decodes `br` with libbrotlidec.
@safe final class BrotliDecoder: ContentDecoder {
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

    init() throws(TransportError) {
        guard let library = Library.shared else { throw .unsupported("can't decode br: libbrotlidec isn't loaded") }
        guard let state = unsafe library.create(nil, nil, nil) else { throw .outOfMemory(creating: "a br decoder") }
        self.library = library
        unsafe self.state = state
    }

    deinit { unsafe library.destroy(state) }

    func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFault) -> DecodingStep {
        var (inCount, outCount) = (input.count, output.count)
        var nextIn = unsafe input.baseAddress.map { unsafe $0.assumingMemoryBound(to: UInt8.self) }
        var nextOut = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = unsafe library.decompress(state, &inCount, &nextIn, &outCount, &nextOut, nil)
        // 0 is an error and 1 the end. 2 means that more input is needed, and 3 more room for output.
        guard result != 0 else { throw DecodingFault(reason: "libbrotlidec found invalid data") }
        return DecodingStep(consumed: input.count - inCount, produced: output.count - outCount, isEnd: result == 1)
    }

    func startOver() -> Bool { false }
}
