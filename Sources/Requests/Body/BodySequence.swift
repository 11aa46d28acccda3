/// An asynchronous sequence that a body consists of. Equal if it is the same instance.
package final class BodySequence: Sendable {
    /// The chunks, to be iterated once for each successful ``use()``.
    package let chunks: any AsyncSequence<Data, any Error> & Sendable
    let isReplayable: Bool
    private let firstUse = OneTimeUse()

    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, isReplayable: Bool)
    where Chunks.Element: DataProtocol {
        self.chunks = DataChunks(chunks: chunks)
        self.isReplayable = isReplayable
    }

    /// Checks that the sequence may be iterated.
    ///
    /// - Throws: ``RequestError/Code/bodyAlreadyRead``.
    package func use() throws(RequestError) {
        if !isReplayable { try firstUse.use(of: "sequence") }
    }
}

/// A sequence of chunks as `Data`.
private struct DataChunks<Chunks: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Chunks.Element: DataProtocol {
    let chunks: Chunks

    func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var chunks: Chunks.AsyncIterator

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            try await chunks.next(isolation: actor).map { Data($0) }
        }
    }
}
