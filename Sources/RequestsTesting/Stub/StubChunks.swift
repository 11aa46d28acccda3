import Foundation
import Requests

/// The chunks of a body, and the error after the last one.
struct StubChunks: AsyncSequence, Sendable {
    let chunks: [Data]
    let error: TransportError?

    struct AsyncIterator: AsyncIteratorProtocol {
        var remaining: ArraySlice<Data>
        var error: TransportError?

        mutating func next() async throws -> Data? {
            if let chunk = remaining.popFirst() { return chunk }
            if let error { throw error }
            return nil
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(remaining: chunks[...], error: error)
    }
}

extension TransportError {
    static func stubbed(_ code: Code, in phase: Phase, of request: PreparedRequest) -> TransportError {
        TransportError(code: code, message: "the stub fails \(request)", phase: phase)
    }
}

extension TransportError.Code {
    /// The phase in which a transport usually reports this error.
    var usualPhase: TransportError.Phase {
        switch self {
        case .unsupported, .shutDown: .preparing
        case .nameNotResolved, .cannotConnect, .timedOut(.connect), .tlsUntrusted, .tlsFailed, .pinMismatch, .proxy:
            .connecting
        case .truncated, .malformed, .decoding, .tooLarge: .receiving
        default: .sending
        }
    }
}
