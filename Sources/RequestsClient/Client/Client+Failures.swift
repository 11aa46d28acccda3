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
    private let continuations = Locked<[UUID: Listener]>([:])

    deinit { for listener in listeners { listener.finish() } }

    var isEmpty: Bool { continuations.withLock { $0.isEmpty } }

    func makeStream() -> AsyncStream<Client.Failure> {
        AsyncStream(bufferingPolicy: .bufferingNewest(100)) { continuation in
            let id = UUID()
            continuations.withLock { $0[id] = continuation }
            continuation.onTermination = { [weak self] _ in self?.continuations.withLock { $0[id] = nil } }
        }
    }

    func report(_ failure: Client.Failure) { for listener in listeners { listener.yield(failure) } }

    private var listeners: [Listener] { continuations.withLock { Array($0.values) } }
}
