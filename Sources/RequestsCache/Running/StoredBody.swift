import Requests
import RequestsClient

/// A body from the store, or stored bytes and after them the bytes from the server that complete them.
final class StoredBody: ResponseBodySource {
    private let parts: [ResponseBody]
    private let response: HTTPCache.StoredResponse
    private let count = Locked<Int64>(0)

    init(_ parts: [ResponseBody], of stored: HTTPCache.StoredResponse) { (self.parts, response) = (parts, stored) }

    func next() async throws -> Data? {
        for part in parts {
            guard let chunk = try await part.nextChunk() else { continue }
            count.withLock { $0 += Int64(chunk.count) }
            return chunk
        }
        if isWhole { return nil }
        let message = "\(response.url): the stored body has another length than its head says; send the request again"
        throw TransportError(code: .truncated, message: message, phase: .receiving)
    }

    private var isWhole: Bool { count.withLock { $0 } == response.length }

    func cancel() { for part in parts { part.cancel() } }
    var trailers: Header? {
        let stored = response.trailers.header
        return isWhole && isRead ? stored.isEmpty ? parts.last?.trailers : stored : nil
    }
    var isDecoded: Bool { response.isDecoded }
    var boxedMetrics: TransferMetrics.Boxed? { parts.last?.boxedMetrics }
    var isComplete: Bool { parts.allSatisfy(\.isComplete) }
    var isRead: Bool { parts.last?.isRead ?? true }
}
