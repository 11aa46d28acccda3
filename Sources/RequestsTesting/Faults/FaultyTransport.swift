import Requests
import RequestsClient

extension FaultPlan {
    /// A transport that injects the faults of a plan. Copies share the counts of requests.
    public struct FaultyTransport: Transport {
        private let base: any Transport
        private let plan: FaultPlan
        private let log = FaultLog()

        init(_ base: any Transport, plan: FaultPlan) {
            self.base = base
            self.plan = plan
        }

        /// The capabilities of the wrapped transport.
        public var capabilities: TransportCapabilities { base.capabilities }

        /// The statistics of the wrapped transport.
        public var statistics: TransportStatistics? { get async { await base.statistics } }

        /// The faults injected so far, in the order of the requests, such as `truncated: GET https://example.com/a`.
        ///
        /// Compare the lists of two runs, or attach the list to a failed test.
        public var faults: [String] { log.faults }

        /// Sends a request over the wrapped transport, and injects the fault that the plan has for it.
        ///
        /// The request's total and idle timeouts also apply to the plan's delays and drips.
        public func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
            try Task.checkCancellation()
            try request.validate(for: capabilities)
            let decision = plan.decision(for: request, earlier: log.count(request))
            if let fault = decision.fault { log.note("\(fault): \(request)") }
            // No observer, because the wrapped transport already reports to it.
            var silent = context
            silent.observer = nil
            let exchange = StubExchange(request, silent, [], clock: plan.clock)
            return try await exchange.limited { [base, plan] in
                try await request.wait(for: decision.delay, context, on: plan.clock)
                return try await plan.response(to: request, context, decision, from: base, in: exchange)
            }
        }

        /// Shuts down the wrapped transport.
        public func shutdown() async { await base.shutdown() }
    }

    fileprivate func response(
        to request: PreparedRequest,
        _ context: SendContext,
        _ decision: Decision,
        from transport: any Transport,
        in exchange: StubExchange
    ) async throws -> Response<ResponseBody> {
        switch decision.fault {
        case nil: return try await transport.send(request, context: context)
        case .refused: throw TransportError.injected(.cannotConnect, .connecting, in: request)
        case .status(let status, _): return try .stub(status, for: request)
        case .closedBeforeHead, .closedInHead, .garbage:
            try await transport.send(request, context: context).content.cancel()
            let phase: TransportError.Phase = decision.fault == .closedBeforeHead ? .sending : .receiving
            throw TransportError.injected(decision.fault == .garbage ? .malformed : .closed, phase, in: request)
        case .closedAfterHead: return try await transport.send(request, context: context).cut(at: 0, request)
        case .truncated: return try await transport.send(request, context: context).cut(at: decision.position, request)
        case .drip(let bytes, let interval):
            var response = try await transport.send(request, context: context)
            let (size, base) = (max(bytes, 1), response.content)
            let drip = ProducedChunks(Data()) { rest in
                if rest.isEmpty { rest = try await base.nextChunk() ?? Data() }
                guard !rest.isEmpty else { return nil }
                if interval > .zero { try await clock.sleep(for: interval) }
                defer { rest = rest.dropFirst(size) }
                return rest.prefix(size)
            }
            response.content = ResponseBody(drip, trailers: { base.trailers })
            response.content = ResponseBody(
                source: StubBody(response, of: exchange, to: request.method, measures: false)
            )
            return response
        }
    }
}

extension Response<ResponseBody> {
    /// Returns the response with a body that fails at a position of its first chunk, as a fraction of it, because the
    /// length of a body isn't known before its end.
    fileprivate func cut(at position: Double, _ request: PreparedRequest) -> Response {
        let error = TransportError.injected(.truncated, .receiving, in: request)
        var copy = self
        let body = ProducedChunks(false) { [content] isCut in
            guard !isCut, let chunk = try await content.nextChunk() else { throw error }
            isCut = true
            content.cancel()
            return chunk.prefix(Int(clamping: Int64(Double(chunk.count) * position)))
        }
        copy.content = ResponseBody(body)
        return copy
    }
}

extension TransportError {
    fileprivate static func injected(_ code: Code, _ phase: Phase, in request: PreparedRequest) -> TransportError {
        TransportError(code, of: request, "this error was injected by the test's FaultPlan", phase: phase)
    }
}

/// The counts of requests by method and URL, and the list of injected faults.
private final class FaultLog: Sendable {
    private struct State {
        var counts: [String: Int] = [:]
        var faults: [String] = []
    }

    private let state = Locked(State())

    var faults: [String] { state.withLock { $0.faults } }

    /// - Returns: The number of earlier requests with the same method and URL.
    func count(_ request: PreparedRequest) -> Int {
        state.withLock { state in
            defer { state.counts["\(request.method) \(request.url.text)", default: 0] += 1 }
            return state.counts["\(request.method) \(request.url.text)", default: 0]
        }
    }

    func note(_ fault: String) {
        state.withLock { $0.faults.append(fault) }
    }
}
