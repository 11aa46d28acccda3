import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session delegate that delivers the data of a task as it arrives.
final class ChunkReader: NSObject, URLSessionDataDelegate, Sendable {
    let chunks: AsyncThrowingStream<Data, any Error>
    private let input: AsyncThrowingStream<Data, any Error>.Continuation

    override init() {
        (chunks, input) = AsyncThrowingStream.makeStream()
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive data: Data
    ) {
        input.yield(data)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        input.finish(throwing: error)
    }
}
