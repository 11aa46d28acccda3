import Requests

extension Exchange {
    /// The request's body, in pieces of at most 64 KiB. Each one that is requested restarts the idle timeout.
    ///
    /// The pieces can be read once. Request the next one when the previous one was sent, so that a slow network slows
    /// the source. If the source fails, the exchange fails with `TransportError.Code.sourceFailed`, even if the library
    /// wraps or loses the error. If the exchange is over, reading throws `CancellationError`.
    public var requestBody: some AsyncSequence<Data, any Error> & Sendable { RequestPieces(exchange: self) }

    fileprivate func readSource() async throws -> Data? {
        do {
            return try await reader?.next()
        } catch {
            let failure = TransportError.sourceFailed(error, of: request, phase: phase(of: .sourceFailed))
            state.withLock { $0.sourceFailure = failure }
            // The operation may not see the error if it sends in another task.
            if !(error is CancellationError) { end(.failure(failure)) }
            throw failure
        }
    }

    /// Notes how many bytes of the body have been sent.
    ///
    /// - Throws: `CancellationError` if the exchange is over.
    package func noteSent(_ bytes: Int64) throws {
        noteActivity()
        if isOver { throw CancellationError() }
        guard bytes > 0 else { return }
        state.withLock { $0.metrics.sentBodyBytes = bytes }
        context.observer?(.sent(bytes: bytes, total: request.body.length))
    }

    func noteActivity() {
        state.withLock { $0.deadlines.noteActivity(at: Watchdog.now) }
    }

    /// Reports the end of the request to the observer, once: after the body, or when the response comes before it.
    func noteRequestSent() {
        let isFirst = state.withLock { state in
            defer { state.isRequestSent = true }
            return !state.isRequestSent
        }
        if isFirst { context.observer?(.requestSent) }
    }
}

/// The pieces of a request's body.
private struct RequestPieces: AsyncSequence, Sendable {
    let exchange: Exchange

    func makeAsyncIterator() -> Iterator {
        Iterator(exchange: exchange)
    }

    struct Iterator: AsyncIteratorProtocol {
        let exchange: Exchange
        private var rest = Data()
        private var sentBytes: Int64 = 0

        init(exchange: Exchange) {
            self.exchange = exchange
        }

        mutating func next() async throws -> Data? {
            try exchange.noteSent(sentBytes)
            if rest.isEmpty {
                guard let piece = try await exchange.readSource() else {
                    exchange.noteRequestSent()
                    return nil
                }
                rest = piece
            }
            let piece = rest.prefix(64 << 10)
            rest = rest.dropFirst(piece.count)
            sentBytes += Int64(piece.count)
            return piece
        }
    }
}
