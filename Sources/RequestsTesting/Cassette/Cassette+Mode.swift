import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Cassette {
    /// The mode of a cassette.
    public enum Mode: Sendable {
        /// Sends requests over a transport and records the exchanges. They replace the file's earlier content.
        case record(over: any Transport)
        /// Responds from the file.
        case replay
        /// Responds from the file, and records what the file lacks. Creates the file if it doesn't exist.
        case recordMissing(over: any Transport)
        /// Sends requests over a transport. The file is neither read nor written.
        case live(over: any Transport)
    }
}

extension Cassette.Mode {
    /// The mode in the environment variable `REQUESTS_CASSETTES`: `replay`, `record`, `recordMissing` or `live`.
    ///
    /// - Parameters:
    ///   - transport: The transport for the modes that need one. Default: `nil`, so that these modes throw.
    ///   - environment: The variables. Default: the process's variables.
    /// - Returns: The mode, or `replay` if the variable isn't set.
    /// - Throws: ``CassetteError`` if the variable has another value, or the mode needs a transport.
    public static func fromEnvironment(
        over transport: (any Transport)? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CassetteError) -> Self {
        let value = environment["REQUESTS_CASSETTES"] ?? "replay"
        guard ["replay", "record", "recordMissing", "live"].contains(value) else {
            throw CassetteError(
                message: "REQUESTS_CASSETTES has an unknown value; set it to replay, record, recordMissing or live"
            )
        }
        if value == "replay" { return .replay }
        guard let transport else {
            throw CassetteError(
                message: "REQUESTS_CASSETTES is \(value), but the cassette has no transport; pass one with over:"
            )
        }
        return switch value {
        case "record": .record(over: transport)
        case "live": .live(over: transport)
        default: .recordMissing(over: transport)
        }
    }
}
