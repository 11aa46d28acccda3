import Requests
import RequestsClient

/// The requests of a stub in order, and their results.
final class StubLog: Sendable {
    enum Outcome: Equatable {
        /// No route replied: the request is in progress, or the reply came from a script, a closure or the fallback.
        case other
        case route(Int)
        case unmatched(String)
    }

    struct Entry {
        /// The request. After its body was read, the body is in memory.
        var request: PreparedRequest
        var outcome = Outcome.other
    }

    private struct State {
        /// The requests since the last reset.
        var entries: [Entry] = []
        /// The number of the first of them.
        var start = 0
        var next: Int { start + entries.count }
        var calls: [Int: Int] = [:]
        var unmatched: [String] = []
        /// The operations of the requests in progress, by number.
        var running: [Int: String?] = [:]
        /// The number of requests whose bodies were read, and the tasks that wait for such a number.
        var readCount = 0
        var waiters: [(count: Int, promise: Promise<Void>)] = []

        mutating func change(_ number: Int, _ change: (inout Entry) -> Void) {
            if number >= start { change(&entries[number - start]) }
        }
    }

    private let state = Locked(State())

    var entries: [Entry] { state.withLock { $0.entries } }

    /// The number of calls by route, and the messages of requests without a reply.
    var results: (calls: [Int: Int], unmatched: [String]) { state.withLock { ($0.calls, $0.unmatched) } }

    /// - Returns: The number of the new entry.
    func append(_ request: PreparedRequest) -> Int {
        state.withLock { state in
            let number = state.next
            state.running[number] = .some(request.operation)
            state.entries.append(Entry(request: request))
            return number
        }
    }

    /// Records that a request got its response or failed.
    func end(_ number: Int) {
        state.withLock { _ = $0.running.removeValue(forKey: number) }
    }

    var statistics: TransportStatistics {
        state.withLock { state in
            TransportStatistics(
                connections: [],
                requests: TransportStatistics.Requests.counting(state.running.values.lazy.map { ($0, false) }),
                completed: state.next - state.running.count,
                sent: state.next,
                reused: 0
            )
        }
    }

    /// Removes everything but the requests in progress.
    func reset() {
        state.withLock { state in
            // The numbers go on, because requests in progress have some.
            state = State(start: state.next, running: state.running, waiters: state.waiters)
        }
    }

    /// Waits until the bodies of a number of requests were read.
    func wait(forRequests count: Int) async throws {
        let promise = Promise<Void>()
        change { $0.waiters.append((count, promise)) }
        try await promise.wait()
    }

    /// Changes the state, and ends the waits that are over as a result.
    private func change(_ change: (inout State) -> Void) {
        let finished = state.withLock { state in
            change(&state)
            defer { state.waiters.removeAll { $0.count <= state.readCount } }
            return state.waiters.filter { $0.count <= state.readCount }
        }
        for waiter in finished { waiter.promise.give(.success(())) }
    }

    /// Stores a request whose body was read.
    func update(_ request: PreparedRequest, at number: Int) {
        change { state in
            if number >= state.start { state.readCount += 1 }
            state.change(number) { $0.request = request }
        }
    }

    func note(_ outcome: Outcome, at number: Int) {
        state.withLock { state in
            state.change(number) { $0.outcome = outcome }
            switch outcome {
            case .other: break
            case .route(let index): state.calls[index, default: 0] += 1
            case .unmatched(let message): state.unmatched.append(message)
            }
        }
    }
}
