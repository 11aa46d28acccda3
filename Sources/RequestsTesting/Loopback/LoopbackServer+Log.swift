import Requests
import RequestsClient
import RequestsSystem

extension LoopbackServer {
    /// The requests that a server received, and the errors of its closures.
    package final class Log: Sendable {
        private struct State {
            var requests: [Request] = []
            /// The number of requests that ``LoopbackServer/takeRequest(within:)`` has returned.
            var takenCount = 0
            /// The tasks that wait for a request. While there is one, all requests are taken.
            var waiters: [Promise<Request>] = []
            var errors: [any Error] = []
        }

        private let state = Locked(State())
        let records: Bool

        package init(recording records: Bool = true) {
            self.records = records
        }

        var requests: [Request] { state.withLock { $0.requests } }

        var errors: [any Error] { state.withLock { $0.errors } }

        package func add(_ request: Request) { if records { pair { $0.requests.append(request) } } }

        /// Gives the oldest request that wasn't taken to a task, or the next one.
        func take(_ waiter: Promise<Request>) { pair { $0.waiters.append(waiter) } }

        /// Changes the state, and gives the next request to the next waiting task if there are both.
        private func pair(_ change: (inout State) -> Void) {
            let pair = state.withLock { state -> (waiter: Promise<Request>, request: Request)? in
                change(&state)
                guard state.takenCount < state.requests.count, !state.waiters.isEmpty else { return nil }
                state.takenCount += 1
                return (state.waiters.removeFirst(), state.requests[state.takenCount - 1])
            }
            if let pair { pair.waiter.give(.success(pair.request)) }
        }

        /// Ends the wait of a task, unless it was given a request.
        func fail(_ waiter: Promise<Request>, _ error: any Error) {
            state.withLock { state in
                state.waiters.firstIndex { $0 === waiter }.map { state.waiters.remove(at: $0) }
            }?.give(.failure(error))
        }

        /// Returns a closure's answer. If the closure has thrown an error, records it and returns its description.
        func answer(_ result: Result<Answer, any Error>) -> Answer {
            switch result {
            case .success(let answer): return answer
            case .failure(let error):
                state.withLock { $0.errors.append(error) }
                return Answer(500, .plainText, "\(error)")
            }
        }
    }
}

extension LoopbackServer {
    /// The requests received so far, oldest first. Empty unless the server is recording.
    public var requests: [Request] { log.requests }

    /// The errors that closures of the server have thrown so far, oldest first.
    public var errors: [any Error] { log.errors }

    /// Waits for a request, and returns each one once, oldest first. The server must be recording.
    ///
    /// ```swift
    /// let stub = StubTransport(script: [.reply(503)])
    /// let server = try LoopbackServer.http(stub)
    /// stub.enqueue(.reply(200, text: "ok"))
    /// // The code under test sends requests to server.baseURL.
    /// let request = try await server.takeRequest(within: .seconds(5))
    /// ```
    ///
    /// - Parameter limit: The time to wait. Default: 10 seconds.
    /// - Throws: `TransportError` with the code `timedOut` if no request arrives in time, and with `unsupported` if the
    ///   server isn't recording, and `CancellationError`.
    public func takeRequest(within limit: Duration = .seconds(10)) async throws -> Request {
        guard log.records else { throw TransportError.unsupported("requests aren't recorded; pass recording: true") }
        let promise = Promise<Request>()
        log.take(promise)
        let timer = Task { [log] in
            try await Task.sleep(for: limit)
            let message = "no request arrived within \(limit)"
            log.fail(promise, TransportError(code: .timedOut(.total), message: message, phase: .preparing))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await promise.take()
        } onCancel: {
            log.fail(promise, CancellationError())
        }
    }
}
