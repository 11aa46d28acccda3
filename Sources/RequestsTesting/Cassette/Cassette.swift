import Requests
import RequestsClient

/// A transport that records exchanges in a file, and replays them later without a network.
///
/// ```swift
/// let file = URL(filePath: "Fixtures/users.har")
/// // Once, against the server.
/// let recording = try Cassette(file, mode: .record(over: CurlTransport.shared))
/// // In tests.
/// let replaying = try Cassette(file, mode: .replay)
/// ```
///
/// The file is an HTTP archive (HAR 1.2), which browsers and proxies can also write and display. Entries that aren't
/// HTTP exchanges (such as `data:` URLs) are skipped. ``Secrets`` are redacted before an exchange is stored. Bodies are
/// held in memory, up to a limit. Failed exchanges, trailers and metrics aren't recorded.
///
/// Copies share their state. Shutting down the cassette doesn't shut down the recorded transport.
public struct Cassette: Transport {
    let file: URL
    let mode: Mode
    let criteria: [Criterion]
    let secrets: Secrets
    let repeats: Bool
    let maximumBodyBytes: Int
    let date: @Sendable () -> Date
    let tape: Tape

    /// Opens a cassette.
    ///
    /// - Parameters:
    ///   - file: The archive. Read by this initializer if the mode replays, and written by ``save()`` and
    ///     ``shutdown()``.
    ///   - mode: Whether to record, to replay or to do both.
    ///   - criteria: The properties that must be equal in a sent and a recorded request. Default: method, URL and body.
    ///   - secrets: The rules for secrets, which are redacted before a request is stored or compared. Pass the same
    ///     rules for recording and replaying. Default: `Secrets()`.
    ///   - repeats: Whether a recorded response can be replayed more than once. If several match, they are replayed in
    ///     order, and the last one is then repeated. Default: `false`.
    ///   - age: The maximum age of a recording. If one is older, the mode `replay` throws, and `recordMissing` records
    ///     it again. Default: `nil`, no limit.
    ///   - maximumBodyBytes: The maximum size of a request or response body in bytes. Default: 16 MiB.
    ///   - date: Returns the current date, for the archive and for `age`. Default: the system's date.
    /// - Throws: ``CassetteError`` if a file to replay can't be read, or a recording has expired.
    public init(
        _ file: URL,
        mode: Mode,
        matching criteria: [Criterion] = [.method, .url, .body],
        secrets: Secrets = Secrets(),
        repeats: Bool = false,
        expires age: Duration? = nil,
        maximumBodyBytes: Int = 16 << 20,
        date: @escaping @Sendable () -> Date = { Date() }
    ) throws(CassetteError) {
        self.file = file
        self.mode = mode
        self.criteria = criteria
        self.secrets = secrets
        self.repeats = repeats
        self.maximumBodyBytes = maximumBodyBytes
        self.date = date
        switch mode {
        case .record, .live: tape = Tape()
        case .recordMissing where !FileManager.default.fileExists(atPath: file.path): tape = Tape()
        case .replay, .recordMissing:
            var archive = try HAR(contentsOf: file)
            if let age {
                let expired = archive.removeEntries(from: date().addingTimeInterval(-(age / .seconds(1))))
                if case .replay = mode, let entry = expired.first {
                    throw .expired(entry, in: file, after: age)
                }
            }
            tape = Tape(archive.log.entries.map { $0.redacting(secrets) })
        }
    }

    /// While recording, the transport's capabilities with streamed request bodies and without back-pressure, because
    /// bodies are read in full. While replaying, those of a transport without a network. Request trailers are never
    /// supported, except in the mode `live`, because the archive format can't store them.
    public var capabilities: TransportCapabilities {
        switch mode {
        case .record(let transport), .recordMissing(let transport):
            transport.capabilities.union(.streamedRequestBodies).subtracting([.backPressure, .requestTrailers])
        case .live(let transport): transport.capabilities
        case .replay: .offline.subtracting(.requestTrailers)
        }
    }

    /// The statistics of the recorded transport. `nil` while replaying.
    public var statistics: TransportStatistics? {
        get async {
            switch mode {
            case .record(let transport), .recordMissing(let transport), .live(let transport): await transport.statistics
            case .replay: nil
            }
        }
    }

    /// Sends a request and records the exchange, or returns the first matching recorded response that wasn't used yet.
    ///
    /// A streamed request body is read into memory first, except in the mode `live`.
    ///
    /// - Throws: `TransportError.Code.unmatched` if no recorded request matches (the message names the difference from
    ///   the closest one) or the archive lacks the body. `TransportError.Code.unsupported` if the request body exceeds
    ///   the limit. Rethrows the transport's errors while recording.
    public func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        try Task.checkCancellation()
        try request.validate(for: capabilities)
        try tape.checkOpen()
        if case .live(let transport) = mode { return try await transport.send(request, context: context) }
        let body = try await request.bodyBytes(upTo: maximumBodyBytes)
        // The request itself can mark more query items as secret, such as an API key with an unusual name.
        var secrets = secrets
        secrets.queryNames.formUnion(request.url.sensitiveNames)
        let redacted = HAR.Request(request, body: body, redacting: secrets)
        var replayable = request
        if !request.body.isNone { replayable.body = .data(body).made(from: request.body) }
        switch mode {
        case .record(let transport), .live(let transport):
            return try await record(replayable, context, as: redacted, over: transport, redacting: secrets)
        case .recordMissing(let transport):
            if let recorded = tape.take(redacted, matching: criteria, repeats: repeats) {
                return try recorded.replayed(to: request)
            }
            return try await record(replayable, context, as: redacted, over: transport, redacting: secrets)
        case .replay:
            guard let recorded = tape.take(redacted, matching: criteria, repeats: repeats) else {
                throw tape.unmatched(redacted, matching: criteria, describedAs: request.description)
            }
            return try recorded.replayed(to: request)
        }
    }

    private func record(
        _ request: PreparedRequest,
        _ context: SendContext,
        as redacted: HAR.Request,
        over transport: any Transport,
        redacting secrets: Secrets
    ) async throws -> Response<ResponseBody> {
        let index = tape.reserve()
        let started = date()
        let response = try await transport.send(request, context: context)
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

    /// The method and URL of each request on the cassette, in order: those in the file, and those recorded since then.
    public var recorded: [String] { tape.entries.map(\.request.summary) }

    /// The method and URL of each recorded request that wasn't replayed, in order. Empty in the modes `record` and
    /// `live`.
    public var unused: [String] { tape.unused }
}

extension PreparedRequest {
    /// Reads the whole body into memory. A body that can't be replayed is used up by this.
    fileprivate func bodyBytes(upTo maximumBytes: Int) async throws -> Data {
        do {
            return try await body.collect(upTo: maximumBytes)
        } catch let error as RequestError where error.code == .bodyAlreadyRead {
            throw error
        } catch let error as RequestError where error.code == .bodyTooLarge {
            throw TransportError.unsupported(
                "the body of \(self) exceeds \(maximumBytes) bytes; raise the cassette's maximumBodyBytes"
            )
        } catch let error where !(error is CancellationError) {
            throw TransportError.sourceFailed(error, of: self, phase: .preparing)
        }
    }
}
