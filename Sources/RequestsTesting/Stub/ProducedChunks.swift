import Requests

/// A body whose chunks come from a closure, which changes its state.
struct ProducedChunks<State: Sendable>: AsyncSequence, Sendable {
    let state: State
    let produce: @Sendable (inout State) async throws -> Data?

    init(_ state: State, _ produce: @escaping @Sendable (inout State) async throws -> Data?) {
        (self.state, self.produce) = (state, produce)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        var state: State
        let produce: @Sendable (inout State) async throws -> Data?

        mutating func next() async throws -> Data? { try await produce(&state) }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(state: state, produce: produce) }
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
