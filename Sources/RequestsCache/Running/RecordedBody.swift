import Requests
import RequestsClient

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

    private init(_ body: ResponseBody, _ channel: BodyChannel) { (self.body, self.channel) = (body, channel) }

    /// Starts to read a body. Returns the body for the caller.
    static func start(_ body: ResponseBody, from url: RequestURL, _ record: Record) -> ResponseBody {
        let channel = BodyChannel(from: url, highWater: 1 << 20)
        let recorded = RecordedBody(body, channel)
        channel.attach(recorded)
        let task = Task(executorPreference: CallState.executor) { await recorded.run(record) }
        recorded.task.withLock { $0 = task }
        return ResponseBody(source: ChannelSource(channel, owner: nil, isDecoded: body.isDecoded))
    }

    private func run(_ start: Record) async {
        var record = start
        do {
            while let chunk = try await body.nextChunk() {
                await record.append(chunk)
                switch channel.push(chunk) {
                case .more: break
                case .stop: throw CancellationError()
                case .pause:
                    // Others needn't wait for a slow reader.
                    record.flight?.finish()
                    try await demand.withLock { $0 }.take()
                    demand.withLock { $0 = Promise() }
                }
            }
            await record.finish(body.trailers)
            channel.metrics = body.boxedMetrics
            channel.finish(.success(body.trailers))
        } catch {
            await record.cancel()
            channel.finish(.failure(error))
        }
    }

    func resumeWriting() { demand.withLock { $0 }.give(.success(())) }

    func cancelWriting() {
        task.withLock { $0 }?.cancel()
        body.cancel()
        demand.withLock { $0 }.cancel()
    }
}

/// One response on its way into the store. A store that fails only ends the record.
struct Record: Sendable {
    /// The response. Its length grows with the body.
    var response: HTTPCache.StoredResponse
    /// `nil` after the end.
    var writer: (any CacheWriter)?
    /// The length that the body must have, and a part at most. `nil` if it's unknown.
    let expectedLength: Int64?
    /// The exchange, which ends with the record.
    let flight: Flight?
    let log: @Sendable (String) -> Void

    mutating func append(_ chunk: Data) async {
        response.length += Int64(chunk.count)
        await attempt { try await $0.append(chunk) }
    }

    /// The body is complete.
    mutating func finish(_ trailers: Header?) async {
        response.trailers = HTTPCache.StoredHeader(trailers?.storable ?? [])
        let expected = expectedLength ?? response.length
        guard response.length == expected || response.isPartial && response.length < expected else {
            return await cancel()
        }
        await attempt { [response] in try await $0.finish(response) }
        flight?.finish()
    }

    /// The body is incomplete, or isn't stored.
    mutating func cancel() async {
        await writer?.cancel()
        writer = nil
        flight?.finish()
    }

    private mutating func attempt(_ operation: (any CacheWriter) async throws -> Void) async {
        do {
            if let writer { try await operation(writer) }
        } catch {
            await cancel()
            log("the response isn't stored: \(HTTPCache.reason(of: error))")
        }
    }
}
