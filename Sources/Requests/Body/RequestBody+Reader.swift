import Foundation

extension RequestBody {
    /// One reading of a body, piece by piece.
    ///
    /// A transport asks for the next piece when it has sent the last: that is how a slow network slows the source.
    public final class Reader: Sendable {
        /// What is in memory; `nil` once it was given.
        private let data: Guarded<Data?>
        /// Read on a queue of its own, never on the caller's thread, because reading may block.
        private let source: Guarded<(any BodySource)?>
        private let queue: DispatchQueue?
        private let pieces: (any BodyPieces)?
        /// How many bytes the body's length leaves; `nil` where it has none.
        private let left: Guarded<Int64?>

        init(data: Data?) {
            self.data = Guarded(data)
            source = Guarded(nil)
            queue = nil
            pieces = nil
            left = Guarded(nil)
        }

        init(_ source: sending any BodySource, length: Int64?) {
            data = Guarded(nil)
            self.source = Guarded(source)
            queue = DispatchQueue(label: "Requests.RequestBody.Reader")
            pieces = nil
            left = Guarded(length)
        }

        init(_ pieces: any BodyPieces, length: Int64?) {
            data = Guarded(nil)
            source = Guarded(nil)
            queue = nil
            self.pieces = pieces
            left = Guarded(length)
        }

        /// Reads on.
        ///
        /// - Returns: The next bytes, never empty; `nil` at the end.
        /// - Throws: The source's error, or ``RequestError/Code/bodyLengthMismatch``.
        public func next() async throws -> Data? {
            if let queue {
                return try await withCheckedThrowingContinuation { continuation in
                    queue.async { continuation.resume(with: Result { try self.readSource() }) }
                }
            }
            let piece = try await nextPiece()
            if piece != nil, isAtStatedEnd { _ = try await nextPiece() }
            return piece
        }

        private func nextPiece() async throws -> Data? {
            while true {
                let piece = if let pieces { try await pieces.next() } else { data.withLock { $0.take() } }
                try account(for: piece)
                if piece?.isEmpty != true { return piece }
            }
        }

        /// Reads on, for who is no task: bytes that are read with blocking calls are handed over on the thread that
        /// read them.
        ///
        /// - Parameter receive: Called once, later, with what ``next()`` returns or throws.
        /// - Returns: What waits for the bytes, to be cancelled; `nil` where they cannot be waited for.
        package func next(_ receive: @escaping @Sendable (Result<Data?, any Error>) -> Void) -> Task<Void, Never>? {
            if let queue {
                queue.async { receive(Result { try self.readSource() }) }
                return nil
            }
            return Task {
                do {
                    receive(.success(try await next()))
                } catch {
                    receive(.failure(error))
                }
            }
        }

        /// Reads with calls that may block.
        private func readSource() throws -> Data? {
            let piece = try readPiece()
            if piece != nil, isAtStatedEnd { _ = try readPiece() }
            return piece
        }

        private func readPiece() throws -> Data? {
            while true {
                let piece = try source.withLock { try $0?.read() }
                try account(for: piece)
                if piece?.isEmpty != true { return piece }
            }
        }

        /// Whether there is to be no more: that there is more has to be known before the last bytes are sent, after which
        /// nobody would ask.
        private var isAtStatedEnd: Bool { left.withLock { $0 == 0 } }

        private func account(for piece: Data?) throws(RequestError) {
            let missing = left.withLock { left -> Int64? in
                guard let before = left else { return nil }
                let after = before - Int64(piece?.count ?? 0)
                left = after
                return piece == nil ? after : min(after, 0)
            }
            if let missing, missing != 0 { throw .bodyLengthMismatch(missing: missing) }
        }
    }
}

extension RequestError {
    fileprivate static func bodyLengthMismatch(missing: Int64) -> RequestError {
        RequestError(
            code: .bodyLengthMismatch,
            culprit: "body",
            message: missing > 0
                ? "the body's source ended \(missing) bytes before the stated length"
                : "the body's source gave \(-missing) bytes or more beyond the stated length"
        )
    }
}
