import Foundation
import Requests
import RequestsClient

/// A transport that records exchanges in a file, and replays them later without a network.
///
/// ```swift
/// let file = URL(filePath: "Fixtures/users.har")
/// let recording = try Cassette(file, mode: .record(over: CurlTransport.shared))   // once, against the server
/// let replaying = try Cassette(file, mode: .replay)                               // in tests
/// ```
///
/// The file is an HTTP archive (HAR 1.2), which browsers and proxies can also write and show. ``Secrets`` are redacted
/// before anything is kept. Bodies are held in memory, up to a limit. Failed exchanges, trailers and metrics aren't
/// recorded.
///
/// Copies share their state. The cassette doesn't shut down the recorded transport.
public struct Cassette: Transport {
    /// The mode of a cassette.
    public enum Mode: Sendable {
        /// Sends requests over a transport and records the exchanges. They replace the file's earlier content.
        case record(over: any Transport)
        /// Responds from the file.
        case replay
    }

    private let file: URL
    private let mode: Mode
    private let criteria: [Criterion]
    private let secrets: Secrets
    private let maximumBodyBytes: Int
    private let date: @Sendable () -> Date
    private let tape: Tape

    /// Opens a cassette.
    ///
    /// - Parameters:
    ///   - file: The archive. Replaying reads it now. ``save()`` and ``shutdown()`` write it.
    ///   - mode: Whether to record or to replay.
    ///   - criteria: The properties that a request and a recorded one must have in common. Default: method, URL and
    ///     body.
    ///   - secrets: The rules for secrets, which are redacted before a request is kept or compared. Pass the same rules
    ///     for recording and replaying.
    ///   - maximumBodyBytes: The maximum size of a request or response body. Default: 16 MiB.
    ///   - date: Returns the current date for the archive. Default: the system's date.
    /// - Throws: ``CassetteError`` if the file can't be read for replaying.
    public init(
        _ file: URL,
        mode: Mode,
        matching criteria: [Criterion] = [.method, .url, .body],
        secrets: Secrets = Secrets(),
        maximumBodyBytes: Int = 16 << 20,
        date: @escaping @Sendable () -> Date = { Date() }
    ) throws(CassetteError) {
        self.file = file
        self.mode = mode
        self.criteria = criteria
        self.secrets = secrets
        self.maximumBodyBytes = maximumBodyBytes
        self.date = date
        switch mode {
        case .record: tape = Tape()
        case .replay: tape = Tape(try HAR(contentsOf: file).log.entries.map { $0.redacting(secrets) })
        }
    }

    /// While recording, the capabilities of the transport, adjusted because bodies are read in full. While replaying,
    /// those of a transport without a network.
    public var capabilities: TransportCapabilities {
        switch mode {
        case .record(let transport): transport.capabilities.union(.streamedRequestBodies).subtracting(.backPressure)
        case .replay: .offline
        }
    }

    /// Sends a request and records the exchange, or returns the first recorded response that matches and wasn't used
    /// yet.
    ///
    /// A streamed request body is read into memory first.
    ///
    /// - Throws: `TransportError.Code.unmatched` if no recorded request matches, with the difference from the closest
    ///   one, or if the archive lacks the body. `TransportError.Code.unsupported` if the request body exceeds the
    ///   limit. While recording, also the transport's errors.
    public func send(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
        try Task.checkCancellation()
        try request.validate(for: capabilities)
        try tape.checkOpen()
        let body = try await request.body.bytes(upTo: maximumBodyBytes, of: request)
        // The request can hide more query items, such as an API key with another name.
        var secrets = secrets
        secrets.queryNames.formUnion(request.url.sensitiveNames)
        let redacted = HAR.Request(request, body: body, redacting: secrets)
        switch mode {
        case .record(let transport):
            var request = request
            if !request.body.isNone { request.body = .data(body) }
            return try await record(request, as: redacted, over: transport, redacting: secrets)
        case .replay:
            let response = try tape.response(to: redacted, matching: criteria, describedAs: request.description)
            return try response.replayed(to: request)
        }
    }

    private func record(
        _ request: PreparedRequest,
        as redacted: HAR.Request,
        over transport: any Transport,
        redacting secrets: Secrets
    ) async throws -> Response<ResponseBody> {
        let index = tape.reserve()
        let started = date()
        let response = try await transport.send(request)
        let responded = date()
        let body = try await response.content.collect(upTo: maximumBodyBytes)
        let recorded = HAR.Response(response.head, body: body, redacting: secrets)
        tape.keep(HAR.Entry(redacted, recorded, started: started, responded: responded, ended: date()), at: index)
        return Response(
            head: response.head,
            content: ResponseBody(body),
            history: response.history,
            metrics: response.content.metrics ?? response.metrics
        )
    }

    /// The recorded requests that weren't replayed, in order, each with its method and URL. Empty while recording.
    public var unused: [String] {
        if case .replay = mode { tape.unused } else { [] }
    }

    /// Writes the exchanges recorded so far. Has no effect while replaying.
    ///
    /// - Throws: ``CassetteError`` if the file can't be written.
    public func save() throws(CassetteError) {
        guard case .record = mode else { return }
        try tape.archive.write(to: file)
    }

    /// Saves the file and rejects later requests.
    ///
    /// If the file can't be written, this prints the error to standard error. Call ``save()`` to handle the error.
    public func shutdown() async {
        guard tape.close() else { return }
        do {
            try save()
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
        }
    }
}
