import Foundation
import Requests
import RequestsClient

/// A transport that records exchanges into a file, and later replays them without a network.
///
/// ```swift
/// let file = URL(filePath: "Fixtures/users.har")
/// let recording = try Cassette(file, mode: .record(over: CurlTransport.shared))   // once, against the server
/// let replaying = try Cassette(file, mode: .replay)                               // in tests
/// ```
///
/// The file is an HTTP archive (HAR 1.2), which browsers and proxies write and show too. ``Secrets`` are removed before
/// anything is kept. Bodies are held in memory, up to a limit; an exchange that fails is not recorded, and neither are
/// trailers and what an exchange took.
///
/// Copies are one cassette. Whoever made the transport that is recorded shuts it down.
public struct Cassette: Transport {
    /// What a cassette does.
    public enum Mode: Sendable {
        /// Sends requests over a transport, and keeps them with their responses; what the file held before is replaced.
        case record(over: any Transport)
        /// Answers from the file.
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
    ///   - file: The archive. It is read here to be replayed, and written by ``save()`` and ``shutdown()``.
    ///   - mode: Whether to record or to replay.
    ///   - criteria: What a request and a recorded one must have in common; method, URL and body by default.
    ///   - secrets: What is removed before a request is kept or compared. Recording and replaying take the same.
    ///   - maximumBodyBytes: How large the body of a request or response may be; 16 MiB by default.
    ///   - date: Tells date and time for the archive; the system's by default.
    /// - Throws: ``CassetteError`` for a file that cannot be read to be replayed.
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
        case .replay: tape = Tape(try HAR(contentsOf: file).log.entries.map { $0.removing(secrets) })
        }
    }

    /// What the recorded transport can do when bodies are read whole, or all that a replay can be asked for.
    public var capabilities: TransportCapabilities {
        switch mode {
        case .record(let transport): transport.capabilities.union(.streamedRequestBodies).subtracting(.backPressure)
        case .replay: .offline
        }
    }

    /// Sends a request and records the exchange, or answers with the first recorded response that matches and was not
    /// given before.
    ///
    /// A body that is a stream is read here, and sent on as data.
    ///
    /// - Throws: `TransportError.Code.unmatched` where nothing recorded matches, saying what differs from the nearest, and
    ///   where the archive does not have the body;
    ///   `TransportError.Code.unsupported` for a request whose body is over the limit; when recording, also what the
    ///   transport throws.
    public func send(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
        try Task.checkCancellation()
        try request.validate(for: capabilities)
        try tape.checkOpen()
        let body = try await request.body.bytes(upTo: maximumBodyBytes, of: request)
        // What the request hides of its URL is a secret, too: a key in the query by another name, say.
        var secrets = secrets
        secrets.queryNames.formUnion(request.url.sensitiveNames)
        let kept = HAR.Request(request, body: body, without: secrets)
        switch mode {
        case .record(let transport):
            var request = request
            if !request.body.isNone { request.body = .data(body) }
            return try await record(request, as: kept, over: transport, without: secrets)
        case .replay:
            let response = try tape.response(to: kept, matching: criteria, shownAs: request.description)
            return try response.replayed(to: request)
        }
    }

    private func record(
        _ request: PreparedRequest,
        as kept: HAR.Request,
        over transport: any Transport,
        without secrets: Secrets
    ) async throws -> Response<ResponseBody> {
        let place = tape.reserve()
        let started = date()
        let response = try await transport.send(request)
        let answered = date()
        let body = try await response.content.collect(upTo: maximumBodyBytes)
        let answer = HAR.Response(response.head, body: body, without: secrets)
        tape.keep(HAR.Entry(kept, answer, started: started, answered: answered, ended: date()), at: place)
        return Response(
            head: response.head,
            content: ResponseBody(body),
            history: response.history,
            metrics: response.content.metrics ?? response.metrics
        )
    }

    /// The recorded requests that were not asked for, in order: method and URL of each. Empty while recording.
    public var unused: [String] {
        if case .replay = mode { tape.unused } else { [] }
    }

    /// Writes what was recorded so far; does nothing when replaying.
    ///
    /// - Throws: ``CassetteError`` where the file cannot be written.
    public func save() throws(CassetteError) {
        guard case .record = mode else { return }
        try tape.archive.write(to: file)
    }

    /// Saves, and refuses what comes later.
    ///
    /// It cannot throw: a file that cannot be written is told to standard error. ``save()`` throws.
    public func shutdown() async {
        guard tape.close() else { return }
        do {
            try save()
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
        }
    }
}
