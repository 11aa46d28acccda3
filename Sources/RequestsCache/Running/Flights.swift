import Requests
import RequestsClient

/// The exchanges in progress whose responses equal requests may share.
final class Flights: Sendable {
    private let state = Locked<(waiting: [[String]: [Promise<Void>]], endCount: Int)>(([:], 0))

    /// The number of exchanges that have ended, each of which may have changed the store.
    var endCount: Int { state.withLock(\.endCount) }

    /// Starts an exchange. Returns `nil` if one with the same key is in progress.
    func start(_ key: [String]) -> Flight? {
        let isFirst = state.withLock { state in
            guard state.waiting[key] == nil else { return false }
            state.waiting[key] = []
            return true
        }
        return isFirst ? Flight { [self] in end(key) } : nil
    }

    /// Waits for an exchange that is in progress.
    ///
    /// - Parameter limit: When and how the wait fails. `nil` for no limit.
    func wait(for key: [String], limit: (after: Duration, error: TransportError)?, _ clock: any Clock<Duration>)
        async throws
    {
        let promise = Promise<Void>()
        guard state.withLock({ $0.waiting[key]?.append(promise) }) != nil else { return }
        let timer = limit.map { limit in
            Task(executorPreference: CallState.executor) {
                guard (try? await clock.sleep(for: limit.after)) != nil else { return }
                promise.give(.failure(limit.error))
            }
        }
        defer { timer?.cancel() }
        try await CallState.canceling(promise) { try await promise.take() }
    }

    private func end(_ key: [String]) {
        let waiting = state.withLock { state in
            state.endCount += 1
            return state.waiting.removeValue(forKey: key) ?? []
        }
        for promise in waiting { promise.give(.success(())) }
    }
}

/// An exchange in progress. Ends when it is dropped.
final class Flight: Sendable {
    private let end: Locked<(@Sendable () -> Void)?>

    init(_ end: @escaping @Sendable () -> Void) { self.end = Locked(end) }

    deinit { finish() }

    /// Wakes the requests that wait, which then ask the store. Only the first call counts.
    func finish() { end.withLock { $0.take() }?() }
}

extension Promise: Cancelable {
    package func cancel() { give(.failure(CancellationError())) }
}
