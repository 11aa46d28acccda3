import Foundation
import Requests
import RequestsClient

/// Reads a body from the transport, and passes it to the caller and to the store.
///
/// It reads ahead of the caller by at most 1 MiB, so that requests that wait for a small response don't depend on the
/// speed of its reader.
final class RecordedBody: BodyChannel.Writer {
    private enum Demand {
        case none
        case resumed
        case awaited(Waiter)
    }

    private let body: ResponseBody
    private let channel: BodyChannel
    private let task = Locked<Task<Void, Never>?>(nil)
    private let demand = Locked(Demand.none)

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
            await waitForDemand()
            try Task.checkCancellation()
        }
    }

    private func waitForDemand() async {
        await Waiter.wait { waiter in
            let isReady = demand.withLock { demand in
                if case .resumed = demand {
                    demand = .none
                    return true
                }
                demand = .awaited(waiter)
                return false
            }
            if isReady { waiter.resume() }
        }
    }

    func resumeWriting() {
        let waiter = demand.withLock { demand -> Waiter? in
            guard case .awaited(let waiter) = demand else {
                demand = .resumed
                return nil
            }
            demand = .none
            return waiter
        }
        waiter?.resume()
    }

    func cancelWriting() {
        task.withLock { $0 }?.cancel()
        body.cancel()
        resumeWriting()
    }
}
