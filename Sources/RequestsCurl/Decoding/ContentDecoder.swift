import Foundation
import Requests

/// Undoes one content coding, piece by piece.
protocol ContentDecoder: AnyObject {
    /// Decodes as much as there is room for.
    ///
    /// - Throws: ``DecodingFault`` when the bytes are not in the coding.
    func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFault) -> DecodingStep

    /// Prepares for what follows the end of the coded data; `false` where nothing may.
    func startOver() -> Bool
}

/// What a piece of decoding came to.
struct DecodingStep {
    var consumed: Int
    var produced: Int
    /// Whether the coded data is at its end.
    var isEnd: Bool
}

/// Bytes that are not in the coding they should be in.
struct DecodingFault: Error {
    let reason: String
}

/// Looks up functions of the libraries that are in the process.
enum ProcessSymbols {
    private nonisolated(unsafe) static let program = dlopen(nil, RTLD_NOW)

    static func find<Function>(_ name: String, as type: Function.Type) -> Function? {
        guard let program, let symbol = dlsym(program, name) else { return nil }
        return unsafeBitCast(symbol, to: type)
    }
}
