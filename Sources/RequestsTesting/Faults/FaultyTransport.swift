import Requests
import RequestsClient

extension FaultPlan {
    /// A transport that injects the faults of a plan. Copies share the counts of requests.
    public struct FaultyTransport: Transport, EndsWithCall {
        private let base: any Transport
        private let plan: FaultPlan
        private let log = FaultLog()
        private let runner: ExchangeRunner

        init(_ base: any Transport, plan: FaultPlan) {
            self.base = base
            self.plan = plan
            runner = ExchangeRunner(
                capabilities: base.capabilities,
                maximumBufferedBytes: 0,
                measures: false,
                clock: plan.clock,
                open: { _ in nil }
            )
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
            try request.validate(for: capabilities)
            try Task.checkCancellation()
            let decision = plan.decision(for: request, earlier: log.count(request))
            if let fault = decision.fault { log.note("\(fault): \(request)") }
            // The wrapped transport reports to the observer.
            let silent = SendContext(deadline: context.deadline, attempt: context.attempt)
            return try await runner.runValidated(request, context: silent) { [base] exchange in
                try await exchange.wait(for: decision.delay)
                let sending = StubTransport.Reply(directly: { match in
                    try await match.exchange.response(to: match.request, over: base, context)
                })
                let reply = decision.reply(instead: sending)
                let match = StubTransport.Match(request: request, exchange: exchange, parameters: [:], call: 1)
                await exchange.forward { try await reply.respond(match) }
            }
        }

        /// Shuts down the wrapped transport.
        public func shutdown() async { await base.shutdown() }
    }
}

extension FaultPlan.Decision {
    /// Returns the reply with the fault.
    fileprivate func reply(instead reply: StubTransport.Reply) -> StubTransport.Reply {
        switch fault {
        case nil: reply
        case .refused: .failure(.cannotConnect)
        case .status(let status, _): .reply(status)
        case .closedBeforeHead: reply.failing(.closed, in: .sending)
        case .closedInHead: reply.failing(.closed, in: .receiving)
        case .garbage: reply.failing(.malformed, in: .receiving)
        case .closedAfterHead: reply.after(bytes: 0, .close)
        case .truncated: reply.cut(at: position)
        case .drip(let bytes, let interval): reply.dripping(max(bytes, 1), every: interval)
        }
    }
}

extension StubTransport.Reply {
    /// Returns the reply with an error in place of its response.
    fileprivate func failing(_ code: TransportError.Code, in phase: TransportError.Phase) -> Self {
        Self(directly: { match in
            try await respond(match).content.cancel()
            throw TransportError.stubbed(code, in: phase, of: match.request)
        })
    }

    /// Returns the reply with a body that fails at a position of its first chunk, as a fraction of it, because the
    /// length of a body isn't known before its end.
    fileprivate func cut(at position: Double) -> Self {
        changingBody { body, match in
            ProducedChunks(false) { isCut in
                guard !isCut, let chunk = try await body.nextChunk() else {
                    throw TransportError.stubbed(.truncated, in: .receiving, of: match.request)
                }
                isCut = true
                body.cancel()
                return chunk.prefix(Int(clamping: Int64(Double(chunk.count) * position)))
            }
        }
    }

    /// Returns the reply with a body in small pieces, with a wait before each.
    fileprivate func dripping(_ size: Int, every interval: Duration) -> Self {
        changingBody { body, match in
            ProducedChunks(Data()) { rest in
                if rest.isEmpty { rest = try await body.nextChunk() ?? Data() }
                guard !rest.isEmpty else { return nil }
                try await match.exchange.wait(for: interval)
                defer { rest = rest.dropFirst(size) }
                return rest.prefix(size)
            }
        }
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
