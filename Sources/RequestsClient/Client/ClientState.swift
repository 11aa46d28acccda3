import Foundation
import Requests

/// The state that the copies of a client share.
final class ClientState: Sendable {
    let calls = RunningCalls()
    let failures = FailureListeners()
    private let lastCall = Locked<UInt64>(0)

    /// A number for the log events of one call.
    func nextCall() -> UInt64 {
        lastCall.withLock { number in
            number += 1
            return number
        }
    }
}

/// Passes failures to all listeners.
final class FailureListeners: Sendable {
    private struct State {
        var continuations: [UInt64: AsyncStream<Client.Failure>.Continuation] = [:]
        var lastListener: UInt64 = 0
    }

    private let state = Locked(State())

    deinit {
        for listener in listeners { listener.finish() }
    }

    var isEmpty: Bool { state.withLock { $0.continuations.isEmpty } }

    func makeStream() -> AsyncStream<Client.Failure> {
        AsyncStream(bufferingPolicy: .bufferingNewest(100)) { continuation in
            let number = state.withLock { state in
                state.lastListener += 1
                state.continuations[state.lastListener] = continuation
                return state.lastListener
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { state in
                    _ = state.continuations.removeValue(forKey: number)
                }
            }
        }
    }

    func report(_ failure: Client.Failure) {
        for listener in listeners { listener.yield(failure) }
    }

    private var listeners: [AsyncStream<Client.Failure>.Continuation] {
        state.withLock { Array($0.continuations.values) }
    }
}
