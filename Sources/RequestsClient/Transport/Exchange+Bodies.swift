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
            let piece = try await reader?.next()
            // A sequence can end without an error because its task was canceled.
            if piece == nil { try Task.checkCancellation() }
            return piece
        } catch {
            if Task.isCancelled { throw CancellationError() }
            let failure = TransportError.sourceFailed(error, of: request, phase: phase(of: .sourceFailed))
            state.withLock { $0.sourceFailure = failure }
            // The operation may not see the error if it sends in another task.
            end(.failure(failure))
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
        // The observer can have canceled it.
        if isOver { throw CancellationError() }
        try Task.checkCancellation()
    }

    /// Restarts the idle timeout.
    package func noteActivity() { state.withLock { $0.deadlines.noteActivity(at: now) } }

    /// Reports the end of the request to the observer, once: after the body, or when the response comes before it.
    package func noteRequestSent() {
        let isFirst = state.withLock { state in
            defer { state.isRequestSent = true }
            return !state.isRequestSent
        }
        if isFirst { context.observer?(.requestSent) }
    }
}

extension Exchange {
    /// Whether the response has measurements.
    package var measures: Bool { runner.measures }

    /// Passes an event of the connection to the request's observer.
    package func report(_ event: PreparedRequest.Event) { context.observer?(event) }

    /// Passes on the response of a test or of another transport, with its measurements. Errors aren't changed.
    package func forward(_ respond: () async throws -> Response<ResponseBody>) async {
        do {
            let response = try await respond()
            state.withLock { $0.forwardedMetrics = response.metrics }
            try deliver(response.head, isDecoded: response.content.isDecoded, history: response.history)
            try await forward(response.content)
        } catch {
            end(.failure(error))
        }
    }

    private func forward(_ content: ResponseBody) async throws {
        if content.isInMemory(upTo: .max) {
            _ = try receive(try await content.nextChunk() ?? Data())
        } else {
            try await withTaskCancellationHandler {
                try await waitForReader()
                while let chunk = try await content.nextChunk() { try await write(chunk) }
            } onCancel: {
                content.cancel()
            }
        }
        trailers = content.trailers
        if let metrics = content.metrics { state.withLock { $0.forwardedMetrics = metrics } }
    }
}

/// The pieces of a request's body.
private struct RequestPieces: AsyncSequence, Sendable {
    let exchange: Exchange

    func makeAsyncIterator() -> Iterator { Iterator(exchange: exchange) }

    struct Iterator: AsyncIteratorProtocol {
        let exchange: Exchange
        private var rest = Data()
        private var sentBytes: Int64 = 0

        init(exchange: Exchange) { self.exchange = exchange }

        mutating func next() async throws -> Data? {
            try exchange.noteSent(sentBytes)
            if rest.isEmpty {
                exchange.update { $0.isSourceSlow = true }
                defer { exchange.update { $0.isSourceSlow = false } }
                guard let piece = try await exchange.readSource() else {
                    exchange.noteRequestSent()
                    exchange.update { $0.taken.isEnd = true }
                    return nil
                }
                rest = piece
            }
            let piece = rest.prefix(64 << 10)
            rest = rest.dropFirst(piece.count)
            sentBytes += Int64(piece.count)
            exchange.update { $0.taken.bytes = sentBytes }
            return piece
        }
    }
}
