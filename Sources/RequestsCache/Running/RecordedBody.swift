import Requests
import RequestsClient

/// A body that is stored while the caller reads it. Nothing is stored if the caller doesn't read its end, and a store
/// that fails only ends the storing.
actor RecordedBody: ForwardingSource {
    nonisolated let base: any ResponseBodySource
    /// The response that is stored. Its length grows with the body.
    private var stored: HTTPCache.StoredResponse
    /// `nil` after the end.
    private var writer: (any CacheWriter)?
    /// The length that the body must have, and a part at most. `nil` if it's unknown.
    private let expectedLength: Int64?
    private let exchange: CachedExchange
    private let position: Int

    init(
        _ body: ResponseBody,
        as stored: HTTPCache.StoredResponse,
        _ writer: any CacheWriter,
        expectedLength: Int64?,
        _ exchange: CachedExchange,
        at position: Int
    ) {
        (base, self.stored, self.writer, self.expectedLength) = (body.source, stored, writer, expectedLength)
        (self.exchange, self.position) = (exchange, position)
        self.stored.length = 0
    }

    func next() async throws -> Data? {
        do {
            let chunk = try await base.next()
            stored.length += Int64(chunk?.count ?? 0)
            if let chunk { await write { try await $0.append(chunk) } } else { await finish() }
            return chunk
        } catch {
            writer = nil
            throw error
        }
    }

    private func finish() async {
        stored.trailers = HTTPCache.StoredHeader(base.trailers?.storable ?? [])
        let expected = expectedLength ?? stored.length
        let isWhole = stored.length == expected || stored.isPartial && stored.length < expected
        if isWhole, exchange.mayStore {
            await write { [stored] in try await $0.finish(stored) }
            // A write may just have been seen.
            if !exchange.mayStore { await exchange.remove(exchange.variant(position)) }
        }
        writer = nil
    }

    private func write(_ operation: (any CacheWriter) async throws -> Void) async {
        guard let writer else { return }
        let done: Void? = await exchange.attempt(or: "the response isn't stored") { _ in try await operation(writer) }
        if done == nil { self.writer = nil }
    }

    /// A body that has arrived must still be read, to be stored.
    nonisolated var isComplete: Bool { false }
}
