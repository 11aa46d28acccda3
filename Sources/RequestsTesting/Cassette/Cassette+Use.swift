import Requests
import RequestsClient

extension Cassette {
    /// Opens a cassette, runs a closure with it, and saves the recordings.
    ///
    /// ```swift
    /// let user = try await Cassette.use(
    ///     "users",
    ///     over: CurlTransport.shared
    /// ) { cassette in
    ///     try await Client(transport: cassette).send(api.user(7))
    /// }
    /// ```
    ///
    /// The environment variable `REQUESTS_CASSETTES` decides the mode, as in
    /// ``Mode/fromEnvironment(over:environment:)``. After the closure, recordings are saved, and in the mode `replay`
    /// every recorded request must have been sent.
    ///
    /// - Parameters:
    ///   - name: The name of the file without `.har`.
    ///   - transport: The transport for recording. Default: `nil`, which allows replaying only.
    ///   - folder: The folder of the file. Default: `Cassettes`, next to the source file.
    ///   - criteria: The properties that must be equal in a sent and a recorded request. Default: method, URL and body.
    ///   - secrets: The rules for secrets. Default: `Secrets()`, which redacts credentials.
    ///   - repeats: Whether a recorded response can be replayed more than once. Default: `false`.
    ///   - age: The maximum age of a recording. Older ones throw or are recorded again. Default: `nil`, no limit.
    ///   - environment: The environment variables. Default: those of the process.
    ///   - source: The path of the calling source file, from which the folder's default follows.
    ///   - body: The code that sends requests over the cassette.
    /// - Throws: ``CassetteError`` if the file can't be read or written, if a recorded request wasn't sent, or if this
    ///   method has already recorded the file in this process. Rethrows errors of the closure, in which case nothing is
    ///   saved.
    public static func use<Result>(
        _ name: String,
        over transport: (any Transport)? = nil,
        in folder: URL? = nil,
        matching criteria: [Criterion] = [.method, .url, .body],
        secrets: Secrets = Secrets(),
        repeats: Bool = false,
        expires age: Duration? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        source: String = #filePath,
        _ body: (Cassette) async throws -> Result
    ) async throws -> Result {
        let folder = folder ?? URL(filePath: source).deletingLastPathComponent().appending(path: "Cassettes")
        let file = folder.appending(path: "\(name).har")
        let mode = try Mode.fromEnvironment(over: transport, environment: environment)
        let cassette = try Cassette(
            file,
            mode: mode,
            matching: criteria,
            secrets: secrets,
            repeats: repeats,
            expires: age
        )
        let result = try await body(cassette)
        if cassette.isChanged, !recordedFiles.withLock({ $0.insert(file.path()).inserted }) {
            throw CassetteError(
                message: "\(file.lastPathComponent) was already recorded in this process, by another test or another "
                    + "case of this test; use a cassette with another name for each"
            )
        }
        try cassette.save()
        if case .replay = mode { try cassette.checkUsed() }
        return result
    }

    /// The files that were recorded in this process. Recording one again would lose the first recording.
    private static let recordedFiles = Locked<Set<String>>([])

    private func checkUsed() throws(CassetteError) {
        let unused = unused
        guard let first = unused.first else { return }
        throw CassetteError(
            message:
                "\(file.lastPathComponent): \(unused.count) of its requests weren't sent, the first being \(first); "
                + "send them, or record the cassette again"
        )
    }
}
