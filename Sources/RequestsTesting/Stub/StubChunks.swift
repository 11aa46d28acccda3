import Requests

/// A body of given chunks with an optional error after the last one.
struct StubChunks: AsyncSequence, Sendable {
    let chunks: [Data]
    let interval: Duration
    let clock: any Clock<Duration>
    let error: TransportError?

    struct AsyncIterator: AsyncIteratorProtocol {
        let body: StubChunks
        var index = 0

        mutating func next() async throws -> Data? {
            guard index < body.chunks.count else {
                if let error = body.error { throw error }
                return nil
            }
            if index > 0, body.interval > .zero { try await body.clock.sleep(for: body.interval) }
            defer { index += 1 }
            return body.chunks[index]
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: self)
    }
}

extension TransportError {
    static func stubbed(_ code: Code, in phase: Phase, of request: PreparedRequest) -> TransportError {
        TransportError(code: code, message: "\(request) failed because its stub replies with an error", phase: phase)
    }
}

extension TransportError.Code {
    /// The phase in which a transport usually reports an error with this code.
    var usualPhase: TransportError.Phase {
        switch self {
        case .unsupported, .outOfMemory, .shutdown: .preparing
        case .nameNotResolved, .cannotConnect, .timedOut(.connect), .tlsUntrusted, .tlsFailed, .pinMismatch, .proxy:
            .connecting
        case .truncated, .malformed, .decoding, .tooLarge: .receiving
        default: .sending
        }
    }
}
