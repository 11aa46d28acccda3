import Requests
import RequestsClient

extension Cassette {
    /// The source of a cassette's responses, and whether they are recorded.
    public enum Mode: Sendable {
        /// Sends requests over a transport and records the exchanges, which replace the file's content when they are
        /// saved.
        case record(over: any Transport)
        /// Responds from the file. A request without a recorded response fails.
        case replay
        /// Responds from the file, and records requests that the file doesn't contain. Creates the file if it is
        /// missing.
        case recordMissing(over: any Transport)
        /// Sends requests over a transport and neither reads nor writes the file.
        case live(over: any Transport)
    }
}

extension Cassette.Mode {
    /// The mode in the environment variable `REQUESTS_CASSETTES`: `replay`, `record`, `recordMissing` or `live`.
    ///
    /// - Parameters:
    ///   - transport: The transport for every mode but `replay`. Default: `nil`, so these modes throw.
    ///   - environment: The environment variables. Default: those of the process.
    /// - Returns: The mode, or `replay` if the variable isn't set.
    /// - Throws: ``CassetteError`` if the variable has another value, or the mode needs a transport and has none.
    public static func fromEnvironment(
        over transport: (any Transport)? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CassetteError) -> Self {
        let value = environment["REQUESTS_CASSETTES"] ?? "replay"
        if value == "replay" { return .replay }
        let modes = ["record": Self.record, "recordMissing": Self.recordMissing, "live": Self.live]
        guard let mode = modes[value] else {
            throw CassetteError(
                message: "REQUESTS_CASSETTES is \(Redaction.quoted(value)), not replay, record, recordMissing or live"
            )
        }
        guard let transport else {
            throw CassetteError(
                message: "REQUESTS_CASSETTES is \(value), but the cassette has no transport; pass one with over:"
            )
        }
        return mode(transport)
    }
}
