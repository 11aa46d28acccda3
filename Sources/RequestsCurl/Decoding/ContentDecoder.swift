import Requests
import RequestsSystem

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

struct DecodingStep {
    var consumed: Int
    var produced: Int
    var isEnd: Bool
}

/// Bytes that aren't in the expected encoding.
struct DecodingFault: Error {
    let reason: String
}

/// Finds functions of the libraries in the process.
enum ProcessSymbols {
    private nonisolated(unsafe) static let program = unsafe dlopen(nil, RTLD_NOW)

    /// A function isn't in the process.
    struct Missing: Error {}

    static func find<Function>(_ name: String, as type: Function.Type = Function.self) throws(Missing) -> Function {
        guard let program = unsafe program, let symbol = unsafe dlsym(program, name) else { throw Missing() }
        return unsafe unsafeBitCast(symbol, to: type)
    }
}
