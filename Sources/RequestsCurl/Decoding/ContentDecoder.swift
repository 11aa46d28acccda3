import Foundation
import Requests

/// Decodes one content encoding, piece by piece.
protocol ContentDecoder: AnyObject {
    /// Decodes as much as the output has room for.
    ///
    /// - Throws: ``DecodingFault`` if the bytes aren't valid.
    func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFault) -> DecodingStep

    /// Starts over after the end of the encoded data. Returns `false` if nothing may follow it.
    func startOver() -> Bool
}

/// The result of decoding a piece.
struct DecodingStep {
    var consumed: Int
    var produced: Int
    /// Whether the encoded data has ended.
    var isEnd: Bool
}

/// Bytes that aren't in the expected encoding.
struct DecodingFault: Error {
    let reason: String
}

/// Finds functions of the libraries in the process.
enum ProcessSymbols {
    private nonisolated(unsafe) static let program = unsafe dlopen(nil, RTLD_NOW)

    static func find<Function>(_ name: String, as type: Function.Type) -> Function? {
        guard let program = unsafe program, let symbol = unsafe dlsym(program, name) else { return nil }
        return unsafe unsafeBitCast(symbol, to: type)
    }

    /// A function isn't in the process.
    struct Missing: Error {}

    static func require<Function>(_ name: String) throws(Missing) -> Function {
        guard let function = find(name, as: Function.self) else { throw Missing() }
        return function
    }
}
