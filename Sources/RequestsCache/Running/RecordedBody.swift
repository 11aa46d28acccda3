import Requests
import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One response on its way into the store. A store that fails only ends the record.
struct Record: Sendable {
    private var response: HTTPCache.StoredResponse
    /// `nil` after the end.
    private var writer: (any CacheWriter)?
    private let expectedLength: Int64?
    /// The exchange, which ends with the record.
    let flight: Flight?
    private let log: @Sendable (String) -> Void

    /// - Parameter expectedLength: The length that the body must have. `nil` if it's unknown.
    init(
        _ response: HTTPCache.StoredResponse,
        _ writer: any CacheWriter,
        expectedLength: Int64?,
        _ flight: Flight?,
        log: @escaping @Sendable (String) -> Void
    ) {
        (self.response, self.writer, self.expectedLength) = (response, writer, expectedLength)
        (self.flight, self.log) = (flight, log)
        self.response.length = 0
    }

    mutating func append(_ chunk: Data) async {
        response.length += Int64(chunk.count)
        do {
            try await writer?.append(chunk)
        } catch {
            await fail(error)
        }
    }

    /// The body is complete.
    mutating func finish(_ trailers: Header?) async {
        guard response.length == expectedLength ?? response.length, let writer else { return await cancel() }
        response.trailers = trailers?.storable
        do {
            try await writer.finish(response)
            flight?.finish(.stored)
        } catch {
            await fail(error)
        }
    }

    /// The body is incomplete.
    mutating func cancel() async {
        await writer?.cancel()
        writer = nil
        flight?.finish(.notShared)
    }

    private mutating func fail(_ error: any Error) async {
        await cancel()
        log("the response isn't stored: \(HTTPCache.reason(of: error))")
    }
}

/// Reads a body from the transport, and passes it to the caller and to the store.
///
/// It reads ahead of the caller by at most 1 MiB, so that requests that wait for a small response don't depend on the
/// speed of its reader.
final class RecordedBody: BodyChannel.Writer {
    private let body: ResponseBody
    private let channel: BodyChannel
    private let task = Locked<Task<Void, Never>?>(nil)
    /// Given when the reader needs more after a pause.
    private let demand = Locked(Promise<Void>())

    private init(_ body: ResponseBody, _ channel: BodyChannel) {
        self.body = body
        self.channel = channel
    }

    /// Starts to read a body. Returns the body for the caller.
    static func start(_ body: ResponseBody, from url: RequestURL, _ record: Record) -> ResponseBody {
        let channel = BodyChannel(from: url, highWater: 1 << 20)
        let recorded = RecordedBody(body, channel)
        channel.attach(recorded)
        recorded.task.withLock { task in
            task = Task { await recorded.run(record) }
        }
        return ResponseBody(source: ChannelSource(channel, owner: nil, isDecoded: body.isDecoded))
    }

    private func run(_ start: Record) async {
        var record = start
        do {
            while let chunk = try await body.nextChunk() {
                await record.append(chunk)
                try await push(chunk, record)
            }
            await record.finish(body.trailers)
            channel.metrics = body.boxedMetrics
            channel.finish(.success(body.trailers))
        } catch {
            await record.cancel()
            channel.finish(.failure(error))
        }
    }

    private func push(_ chunk: Data, _ record: Record) async throws {
        switch channel.push(chunk) {
        case .more: break
        case .stop: throw CancellationError()
        case .pause:
            // Others needn't wait for a slow reader.
            record.flight?.finish(.notShared)
            try await demand.withLock { $0 }.take()
            demand.withLock { $0 = Promise() }
        }
    }

    func resumeWriting() { demand.withLock { $0 }.give(.success(())) }

    func cancelWriting() {
        task.withLock { $0 }?.cancel()
        body.cancel()
        demand.withLock { $0 }.cancel()
    }
}
