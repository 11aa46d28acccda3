import Requests
import RequestsClient

/// A body that ends with an error inside its first chunk.
///
/// The position is a fraction of the first chunk, because the length of a body isn't known before its end.
struct Cut: AsyncSequence, Sendable {
    let base: ResponseBody
    let position: Double
    let error: TransportError

    struct AsyncIterator: AsyncIteratorProtocol {
        let cut: Cut
        var isCut = false

        mutating func next() async throws -> Data? {
            guard !isCut, let chunk = try await cut.base.nextChunk() else { throw cut.error }
            isCut = true
            cut.base.cancel()
            return chunk.prefix(Int(Double(chunk.count) * cut.position))
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(cut: self) }
}

/// A body that is delivered in small pieces, with a wait before each.
struct Drip: AsyncSequence, Sendable {
    let base: ResponseBody
    let size: Int
    let interval: Duration
    let clock: any Clock<Duration>

    struct AsyncIterator: AsyncIteratorProtocol {
        let drip: Drip
        var rest = Data()

        mutating func next() async throws -> Data? {
            if rest.isEmpty { rest = try await drip.base.nextChunk() ?? Data() }
            guard !rest.isEmpty else { return nil }
            if drip.interval > .zero { try await drip.clock.sleep(for: drip.interval) }
            defer { rest = rest.dropFirst(drip.size) }
            return rest.prefix(drip.size)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(drip: self) }
}
