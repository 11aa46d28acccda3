import Foundation

/// A sequence of pieces that a body is made of, with the rule how often it may be read.
final class BodySequence: Sendable {
    private let make: @Sendable () -> any BodyPieces
    private let isTaken = Guarded(false)
    let isReplayable: Bool

    init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces, isReplayable: Bool) where Pieces.Element: DataProtocol {
        self.make = { SequencePieces(pieces) }
        self.isReplayable = isReplayable
    }

    func makePieces() throws(RequestError) -> any BodyPieces {
        let wasTaken = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return isTaken
        }
        guard !wasTaken || isReplayable else { throw .bodyAlreadyRead("sequence") }
        return make()
    }
}

/// Pieces that are waited for.
protocol BodyPieces: Sendable {
    func next() async throws -> Data?
}

private actor SequencePieces<Pieces: AsyncSequence & Sendable>: BodyPieces where Pieces.Element: DataProtocol {
    private var iterator: Pieces.AsyncIterator?

    init(_ pieces: Pieces) {
        iterator = pieces.makeAsyncIterator()
    }

    func next() async throws -> Data? {
        // Taken out while it is in use: no two readers have it.
        guard var reading = iterator else { throw RequestError.bodyAlreadyRead("sequence") }
        iterator = nil
        defer { iterator = reading }
        return try await reading.next(isolation: self).map { Data($0) }
    }
}
