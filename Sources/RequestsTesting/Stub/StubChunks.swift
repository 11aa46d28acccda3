import Foundation
import Requests

/// The pieces of a body, and the error at their end.
struct StubChunks: AsyncSequence, Sendable {
    let pieces: [Data]
    let error: TransportError?

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: ArraySlice<Data>
        var error: TransportError?

        mutating func next() async throws -> Data? {
            if let piece = rest.popFirst() { return piece }
            if let error { throw error }
            return nil
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(rest: pieces[...], error: error)
    }
}

extension TransportError {
    static func stubbed(_ code: Code, in phase: Phase, of request: PreparedRequest) -> TransportError {
        TransportError(code: code, message: "the stub fails \(request)", phase: phase)
    }
}

extension TransportError.Code {
    /// Where a transport notices such a fault.
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
