import Requests
import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A transport that records exchanges in a file, and replays them later without a network.
///
/// ```swift
/// let file = URL(filePath: "Fixtures/users.har")
/// let recording = try Cassette(file, mode: .record(over: CurlTransport.shared))   // once, against the server
/// let replaying = try Cassette(file, mode: .replay)                               // in tests
/// ```
///
/// The file is an HTTP archive (HAR 1.2), which browsers and proxies can also write and show. Entries of a browser that
/// aren't HTTP exchanges, for example with a `data:` URL, are skipped. ``Secrets`` are redacted before anything is
/// kept. Bodies are held in memory, up to a limit. Failed exchanges, trailers and metrics aren't recorded.
///
/// Copies share their state. The cassette doesn't shut down the recorded transport.
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
    ///   - file: The archive. Replaying reads it now. ``save()`` and ``shutdown()`` write it.
    ///   - mode: Whether to record or to replay.
    ///   - criteria: The properties that a request and a recorded one must have in common. Default: method, URL and
    ///     body.
    ///   - secrets: The rules for secrets, which are redacted before a request is kept or compared. Pass the same rules
    ///     for recording and replaying.
    ///   - repeats: Whether a recorded response can be replayed more than once. If several match, they are replayed in
    ///     order, and then the last one again. Default: `false`.
    ///   - age: The maximum age of a recording. Replaying older ones throws, and `recordMissing` records them again.
    ///     Default: `nil`, for no limit.
    ///   - maximumBodyBytes: The maximum size of a request or response body. Default: 16 MiB.
    ///   - date: Returns the current date for the archive. Default: the system's date.
    /// - Throws: ``CassetteError`` if the file can't be read for replaying, or a recording has expired.
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

    /// While recording, the capabilities of the transport, adjusted because bodies are read in full. While replaying,
    /// the capabilities of a transport without a network. An archive has no place for request trailers.
    public var capabilities: TransportCapabilities {
        switch mode {
        case .record(let transport), .recordMissing(let transport):
            transport.capabilities.union(.streamedRequestBodies).subtracting([.backPressure, .requestTrailers])
        case .live(let transport): transport.capabilities
        case .replay: .offline.subtracting(.requestTrailers)
        }
    }

    /// The statistics of the transport. `nil` while replaying.
    public var statistics: TransportStatistics? {
        get async {
            switch mode {
            case .record(let transport), .recordMissing(let transport), .live(let transport): await transport.statistics
            case .replay: nil
            }
        }
    }

    /// Sends a request and records the exchange, or returns the first recorded response that matches and wasn't used
    /// yet.
    ///
    /// A streamed request body is read into memory first, except in the mode `live`.
    ///
    /// - Throws: `TransportError.Code.unmatched` if no recorded request matches, with the difference from the closest
    ///   one, or if the archive lacks the body. `TransportError.Code.unsupported` if the request body exceeds the
    ///   limit. While recording, also the transport's errors.
    public func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        try Task.checkCancellation()
        try request.validate(for: capabilities)
        try tape.checkOpen()
        if case .live(let transport) = mode { return try await transport.send(request, context: context) }
        let body = try await request.body.bytes(upTo: maximumBodyBytes, of: request)
        // The request can hide more query items, such as an API key with another name.
        var secrets = secrets
        secrets.queryNames.formUnion(request.url.sensitiveNames)
        let redacted = HAR.Request(request, body: body, redacting: secrets)
        var replayable = request
        if !request.body.isNone { replayable.body = .data(body) }
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

    /// The recorded requests that weren't replayed, in order, each with its method and URL. Empty in the modes `record`
    /// and `live`.
    public var unused: [String] { tape.unused }
}
