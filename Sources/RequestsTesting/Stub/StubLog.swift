import Requests
import RequestsClient

/// The most recent requests of a stub in order, and the results of all requests.
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
        /// The stored requests by number.
        var entries: [Int: Entry] = [:]
        /// The number of the next request.
        var next = 0
        /// The number of the first request after the last reset.
        var start = 0
        /// The number of the oldest stored request, and of the oldest one whose body is stored.
        var first = 0
        var firstBody = 0
        var bodyBytes = 0
        var calls: [Int: Int] = [:]
        var unmatched: [String] = []
        var unlistedCount = 0
        /// The operations of the requests in progress, by number.
        var running: [Int: String?] = [:]
        /// The number of requests whose bodies were read, and the tasks that wait for such a number.
        var readCount = 0
        var waiters: [(count: Int, promise: Promise<Void>)] = []
    }

    private let maximumCount: Int
    private let maximumBodyBytes: Int
    private let maximumMessages = 100
    private let state = Locked(State())

    init(maximumCount: Int = 10_000, maximumBodyBytes: Int = 64 << 20) {
        self.maximumCount = maximumCount
        self.maximumBodyBytes = maximumBodyBytes
    }

    var entries: [Entry] { state.withLock { state in (state.first..<state.next).compactMap { state.entries[$0] } } }

    var forgottenCount: Int { state.withLock { $0.first - $0.start } }

    /// The number of calls by route, and the messages of requests without a reply.
    var results: (calls: [Int: Int], unmatched: [String]) {
        state.withLock { state in
            let rest = state.unlistedCount == 0 ? [] : ["\(state.unlistedCount) more requests had no reply"]
            return (state.calls, state.unmatched + rest)
        }
    }

    /// - Returns: The number of the new entry.
    func append(_ request: PreparedRequest) -> Int {
        state.withLock { state in
            let number = state.next
            state.next += 1
            state.running[number] = .some(request.operation)
            state.entries[number] = Entry(request: request)
            state.bodyBytes += request.bodyBytes
            forget(&state)
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
            let (next, running, waiters) = (state.next, state.running, state.waiters)
            state = State(next: next, start: next, first: next, firstBody: next, running: running, waiters: waiters)
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
            guard number >= state.firstBody, let old = state.entries[number]?.request else { return }
            state.entries[number]?.request = request
            state.bodyBytes += request.bodyBytes - old.bodyBytes
            forget(&state)
        }
    }

    func note(_ outcome: Outcome, at number: Int) {
        state.withLock { state in
            state.entries[number]?.outcome = outcome
            switch outcome {
            case .other: break
            case .route(let index): state.calls[index, default: 0] += 1
            case .unmatched where state.unmatched.count >= maximumMessages: state.unlistedCount += 1
            case .unmatched(let message): state.unmatched.append(message)
            }
        }
    }

    /// Removes the oldest requests and bodies that exceed the limits.
    private func forget(_ state: inout State) {
        while state.next - state.first > maximumCount {
            state.bodyBytes -= state.entries.removeValue(forKey: state.first)?.request.bodyBytes ?? 0
            state.first += 1
        }
        state.firstBody = max(state.firstBody, state.first)
        while state.bodyBytes > maximumBodyBytes {
            if let request = state.entries[state.firstBody]?.request, request.bodyBytes > 0 {
                state.bodyBytes -= request.bodyBytes
                state.entries[state.firstBody]?.request.body = .forgotten(request.body).made(from: request.body)
            }
            state.firstBody += 1
        }
    }
}

extension PreparedRequest {
    fileprivate var bodyBytes: Int { body.data?.count ?? 0 }
}

extension RequestBody {
    /// Returns a body that was removed from memory, and throws when it is read.
    fileprivate static func forgotten(_ body: RequestBody) -> RequestBody {
        .stream(
            length: body.length,
            reading: {
                throw RequestError(
                    code: .bodyAlreadyRead,
                    subject: "body",
                    message: "The stub no longer has this body, because it stores at most 64 MiB of bodies. "
                        + "Check the body in the stub's handler."
                )
            }
        )
    }
}
