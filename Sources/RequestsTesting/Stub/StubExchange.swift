import Requests
import RequestsClient
import RequestsCompression

/// The metrics, events and timeouts of one exchange with a stub, like those of a real transport.
final class StubExchange: Sendable {
    private struct State {
        var deadlines: ExchangeTimers
        var metrics = TransferMetrics()
        /// The events until the reply is chosen, because a fallback reports its own.
        var deferred: [PreparedRequest.Event]?
        var isOver = false
    }

    /// The maximum size of a stored body in bytes. Larger bodies are read but not stored.
    private static let maximumBodyBytes = 16 << 20

    private let request: PreparedRequest
    private let context: SendContext
    private let capabilities: TransportCapabilities
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private let state: Locked<State>

    init(
        _ request: PreparedRequest,
        _ context: SendContext,
        _ capabilities: TransportCapabilities,
        defersEvents: Bool = false,
        clock: any Clock<Duration>
    ) {
        self.request = request
        self.context = context
        self.capabilities = capabilities
        self.clock = clock
        elapsed = clock.stopwatch()
        let deadlines = ExchangeTimers(request.options.timeouts, context.deadline, start: 0)
        state = Locked(State(deadlines: deadlines, deferred: defersEvents ? [] : nil))
    }

    /// Reads the request's body as a transport would, and reports each chunk to the observer.
    ///
    /// - Returns: The request with its trailers, and with its body in memory unless it is larger than 16 MiB.
    func readBody() async throws -> PreparedRequest {
        reportConnection()
        guard !request.body.isNone else { return request }
        if let data = request.body.data {
            noteSent(data.count)
            return request
        }
        return try await CallState.isolating { try await self.readChunks() }
    }

    private func readChunks() async throws -> PreparedRequest {
        var kept: Data? = Data()
        let reader = try request.body.makeReader()
        do {
            while let chunk = try await reader.next() {
                noteSent(chunk.count)
                try Task.checkCancellation()
                kept?.append(chunk)
                if kept?.count ?? 0 > StubExchange.maximumBodyBytes { kept = nil }
            }
            let trailers = try request.body.trailers?()
            try trailers?.validateAsTrailers()
            var read = request
            if let kept { read.body = .data(kept).made(from: request.body) }
            if let trailers { read.body = read.body.with { trailers } }
            return read
        } catch let error where !(error is CancellationError) {
            throw TransportError.sourceFailed(error, of: request, phase: .sending)
        }
    }

    /// Creates the response and reports its head to the observer.
    func respond(
        with choice: RouteTable.Choice,
        to request: PreparedRequest
    ) async throws -> Response<ResponseBody> {
        let deferred = state.withLock { $0.deferred.take() } ?? []
        deferred.forEach(report)
        report(.requestSent)
        let match = StubTransport.Match(
            request: request,
            context: context,
            parameters: choice.parameters,
            call: choice.call,
            clock: clock
        )
        var response = try await choice.reply.respond(match)
        try await response.removeBody(asIn: request)
        let metrics = state.withLock { state in
            state.deadlines.noteActivity(at: elapsed().nanoseconds)
            state.metrics.responseStart = elapsed()
            state.metrics.httpVersion = response.head.httpVersion
            return state.metrics
        }
        report(.head(response.head))
        try CallState.checkCancellation()
        let measures = capabilities.contains(.metrics)
        if measures, response.metrics == nil { response.metrics = metrics }
        if measures || context.observer != nil || isLimited {
            let body = StubBody(response, of: self, to: request.method, measures: measures)
            response.content = ResponseBody(source: body)
        }
        return try response.decoded(for: request)
    }

    private func reportConnection() {
        state.withLock { $0.metrics.requestStart = elapsed() }
        guard capabilities.contains(.metrics) else { return }
        let origin = request.url.origin
        report(.connected(local: "stub:0", remote: "\(origin.host):\(origin.port)", isReused: false))
        if origin.scheme == "https" { report(.secured(tlsVersion: nil)) }
    }

    private func report(_ event: PreparedRequest.Event) {
        guard let observer = context.observer else { return }
        let isDeferred = state.withLock { $0.deferred?.append(event) != nil }
        // A task that the observer starts isn't a part of the call.
        if !isDeferred { CallState.$current.withValue(nil) { observer(event) } }
    }

    private func noteSent(_ count: Int) {
        let sent = state.withLock { state in
            state.deadlines.noteActivity(at: elapsed().nanoseconds)
            state.metrics.sentBodyBytes += Int64(count)
            return state.metrics.sentBodyBytes
        }
        if count > 0 { report(.sent(bytes: sent, total: request.body.length)) }
    }

    func noteReceived(_ chunk: Data, total: Int64?) {
        let received = state.withLock { state in
            state.deadlines.noteActivity(at: elapsed().nanoseconds)
            state.metrics.receivedBodyBytes += Int64(chunk.count)
            return state.metrics.receivedBodyBytes
        }
        report(.received(bytes: received, total: total))
    }

    /// Reports the end of the exchange to the observer. Has no effect after the first call.
    func end() {
        let metrics = state.withLock { state -> TransferMetrics? in
            // If another transport sends the request, nothing was reported, so the end isn't either.
            guard !state.isOver, state.deferred == nil, state.metrics.requestStart != nil else { return nil }
            state.isOver = true
            state.metrics.responseEnd = elapsed()
            return state.metrics
        }
        if let metrics { report(.ended(metrics)) }
    }

    var metrics: TransferMetrics { state.withLock { $0.metrics } }
}

extension StubExchange {
    /// Whether the request sets a total, attempt or idle timeout. If not, no timer is started.
    private var isLimited: Bool {
        let timeouts = request.options.timeouts
        return context.deadline.total != nil || timeouts.attempt != nil
            || timeouts.idle != nil
    }

    /// Runs an operation until the next deadline of the request.
    ///
    /// After the deadline, doesn't wait for an operation that ignores cancellation.
    func limited<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let next = state.withLock { state in
            // A reader that comes late doesn't keep the server waiting.
            state.deadlines.noteActivity(at: elapsed().nanoseconds)
            return state.deadlines.next
        }
        guard isLimited, let end = next else { return try await operation() }
        try checkDeadline()
        // Sleeping advances an immediate clock, so a timer would time out every operation.
        if let clock = clock as? TestClock, clock.isImmediate {
            let value = try await operation()
            try checkDeadline()
            return value
        }
        let promise = Promise<Value>()
        let work = Task {
            do {
                promise.give(.success(try await operation()))
            } catch {
                promise.give(.failure(error))
            }
        }
        let timer = Task { [clock] in
            try await clock.sleep(for: .nanoseconds(end) - elapsed())
            promise.give(.failure(timedOut(at: end)))
            self.end()
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        return try await promise.wait()
    }

    private func checkDeadline() throws {
        let now = elapsed().nanoseconds
        if state.withLock({ $0.deadlines.reached(at: now) }) != nil { throw timedOut(at: now) }
    }

    private func timedOut(at time: UInt64) -> TransportError {
        let limit = state.withLock { $0.deadlines.reached(at: time) } ?? .idle
        let reason = TransportError.reason(limit, of: request.options.timeouts, total: context.deadline.total)
        return TransportError(.timedOut(limit), of: request, reason, phase: .receiving)
    }
}

extension Response<ResponseBody> {
    /// Removes the body if the request's method or the status allows none (RFC 9110 §6.4.1).
    ///
    /// - Throws: `TransportError.Code.malformed` if the status allows no body and there is one.
    fileprivate mutating func removeBody(asIn request: PreparedRequest) async throws {
        if [204, 304].contains(statusCode), try await !content.collect(upTo: .max).isEmpty {
            let reason = "the stub's reply has the status \(statusCode), which can't have a body; remove the body"
            throw TransportError(.malformed, of: request, reason, phase: .receiving)
        }
        if request.method == .head || [204, 304].contains(statusCode) { content = ResponseBody(Data()) }
    }
}

extension Duration {
    fileprivate var nanoseconds: UInt64 {
        UInt64(max(components.seconds, 0)) * 1_000_000_000 + UInt64(max(components.attoseconds, 0) / 1_000_000_000)
    }
}
