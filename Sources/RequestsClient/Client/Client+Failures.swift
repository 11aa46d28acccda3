import Requests

extension Client {
    /// A call that failed.
    public struct Failure: Sendable, Redacted {
        /// The request of the call, without credentials of an authentication provider. `nil` if it couldn't be built.
        public let request: PreparedRequest?

        /// The error that the caller gets.
        public let error: any Error

        /// The request and the error. Errors of others are shown by their type only, because they may contain secrets.
        public let description: String
    }

    /// Returns the calls that fail from now on.
    ///
    /// Keeps the last 100 for a slow listener, including their requests and so their bodies in memory. Canceled calls
    /// aren't failures. The sequence ends when the last copy of the client is dropped.
    public func failures() -> AsyncStream<Failure> { runner.state.failures.makeStream() }
}

/// Passes failures to all listeners.
final class FailureListeners: Sendable {
    private typealias Listener = AsyncStream<Client.Failure>.Continuation
    private struct State {
        var continuations: [UInt64: Listener] = [:]
        var lastListener: UInt64 = 0
    }

    private let state = Locked(State())

    deinit { for listener in listeners { listener.finish() } }

    var isEmpty: Bool { state.withLock { $0.continuations.isEmpty } }

    func makeStream() -> AsyncStream<Client.Failure> {
        AsyncStream(bufferingPolicy: .bufferingNewest(100)) { continuation in
            let number = state.withLock { state in
                state.lastListener += 1
                state.continuations[state.lastListener] = continuation
                return state.lastListener
            }
            continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.continuations[number] = nil } }
        }
    }

    func report(_ failure: Client.Failure) { for listener in listeners { listener.yield(failure) } }

    private var listeners: [Listener] { state.withLock { Array($0.continuations.values) } }
}
