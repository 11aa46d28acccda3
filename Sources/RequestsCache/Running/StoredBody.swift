import Requests
import RequestsClient

/// A body from the store, or stored bytes and after them the bytes from the server that complete them.
final class StoredBody: ResponseBodySource {
    private let parts: [ResponseBody]
    private let response: HTTPCache.StoredResponse
    private let progress = Locked<(count: Int64, isAtEnd: Bool)>((0, false))

    init(_ parts: [ResponseBody], of stored: HTTPCache.StoredResponse) { (self.parts, response) = (parts, stored) }

    func next() async throws -> Data? {
        for part in parts {
            guard let chunk = try await part.nextChunk() else { continue }
            let count = progress.withLock { progress in
                progress.count += Int64(chunk.count)
                return progress.count
            }
            if count > response.length { break }
            return chunk
        }
        let isWhole = progress.withLock { progress in
            progress.isAtEnd = progress.count == response.length
            return progress.isAtEnd
        }
        if isWhole { return nil }
        throw TransportError(
            code: .truncated,
            message: "\(response.url): the stored body has another length than its head says; send the request again",
            phase: .receiving
        )
    }

    func collect(upTo maximumBytes: Int) async throws -> Data { try await collectChunks(upTo: maximumBytes) }
    func cancel() { for part in parts { part.cancel() } }
    var trailers: Header? {
        let stored = response.trailers.header
        return progress.withLock(\.isAtEnd) ? stored.isEmpty ? parts.last?.trailers : stored : nil
    }
    var isDecoded: Bool { response.isDecoded }
    var boxedMetrics: TransferMetrics.Boxed? { parts.last?.boxedMetrics }
    var isComplete: Bool { parts.allSatisfy(\.isComplete) }
    var isRead: Bool { progress.withLock { $0.isAtEnd && $0.count > 0 } }
}
