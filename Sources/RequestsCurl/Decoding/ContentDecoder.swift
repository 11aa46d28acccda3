import Requests
import RequestsSystem

/// A decoder for one content encoding, which takes the data in pieces.
protocol ContentDecoder: AnyObject {
    /// Decodes as much of the input as fits into the output.
    ///
    /// - Throws: ``DecodingFault`` if the bytes aren't valid.
    func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFault) -> DecodingStep

    /// Prepares for more data after the end of the encoded data. Returns `false` if the format allows none.
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

/// Looks up functions in the libraries that the process has loaded.
enum ProcessSymbols {
    private nonisolated(unsafe) static let program = unsafe dlopen(nil, RTLD_NOW)

    /// The error for a function that no loaded library has.
    struct Missing: Error {}

    static func find<Function>(_ name: String, as type: Function.Type = Function.self) throws(Missing) -> Function {
        guard let program = unsafe program, let symbol = unsafe dlsym(program, name) else { throw Missing() }
        return unsafe unsafeBitCast(symbol, to: type)
    }
}
