import Requests
import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The start of a body, and an error after it.
///
/// The position is within the first chunk, because the length of a body isn't known before its end.
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

/// A body in small pieces, with a wait before each.
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
