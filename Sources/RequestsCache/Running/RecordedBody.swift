import Requests
import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
            await record.finish()
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
