import Requests

/// A body whose beginning was peeked at and can still be read.
final class PeekedSource: ResponseBodySource {
    private let start: Locked<ArraySlice<Data>>
    private let rest: ResponseBody

    private init(_ start: [Data], _ rest: ResponseBody) {
        self.start = Locked(start[...])
        self.rest = rest
    }

    /// Reads a body up to its first element.
    ///
    /// - Returns: A body that starts with the bytes that were read.
    static func peek(
        _ body: ResponseBody,
        until elements: StreamElements,
        _ head: ResponseHead
    ) async throws -> ResponseBody {
        var chunks: [Data] = []
        var search = elements.makeSearch()
        while let chunk = try await body.nextChunk() {
            chunks.append(chunk)
            if try search.finds(in: chunk) { return ResponseBody(source: PeekedSource(chunks, body)) }
        }
        try search.finish(head)
        return ResponseBody(source: PeekedSource(chunks, body))
    }

    func next() async throws -> Data? {
        if let chunk = start.withLock({ $0.popFirst() }) { return chunk }
        return try await rest.nextChunk()
    }

    var isDecoded: Bool { rest.isDecoded }
    var isComplete: Bool { rest.isComplete }
    var isRead: Bool { rest.isRead && start.withLock { $0.isEmpty } }

    func cancel() {
        start.withLock { $0 = [] }
        rest.cancel()
    }

    var trailers: Header? { rest.trailers }
    var boxedMetrics: TransferMetrics.Boxed? { rest.boxedMetrics }
}
