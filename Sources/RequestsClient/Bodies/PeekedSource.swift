import Requests

/// A body whose beginning was peeked at and can still be read.
final class PeekedSource: ForwardingSource {
    private let start: Locked<ArraySlice<Data>>
    let base: any ResponseBodySource

    private init(_ start: [Data], _ base: any ResponseBodySource) {
        self.start = Locked(start[...])
        self.base = base
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
            if try search.finds(in: chunk) { return ResponseBody(source: PeekedSource(chunks, body.source)) }
        }
        try search.finish(head)
        return ResponseBody(source: PeekedSource(chunks, body.source))
    }

    func next() async throws -> Data? {
        if let chunk = start.withLock({ $0.popFirst() }) { return chunk }
        return try await base.next()
    }

    var isRead: Bool { base.isRead && start.withLock { $0.isEmpty } }

    func cancel() {
        start.withLock { $0 = [] }
        base.cancel()
    }
}
