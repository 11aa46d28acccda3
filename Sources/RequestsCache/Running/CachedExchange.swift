import Requests
import RequestsClient

/// One request on its way through a cache.
struct CachedExchange: Sendable {
    let cache: HTTPCache
    let names: EntryNames
    let request: PreparedRequest
    let context: CallContext
    let next: Middleware.Next
    /// The entry's name, without the number of the variant.
    let name: String
    let rules: HTTPCache.Rules

    init(
        _ cache: HTTPCache,
        _ names: EntryNames,
        _ request: PreparedRequest,
        _ context: CallContext,
        _ next: @escaping Middleware.Next
    ) {
        self.cache = cache
        self.names = names
        self.request = request
        self.context = context
        self.next = next
        name = names.name(for: request)
        var rules = cache.rules
        rules.key = names.key
        rules.hasIdentity = names.identity != nil
        self.rules = rules
    }

    /// Serves the request from the store, or sends it.
    func run() async throws -> Response<ResponseBody> {
        if let response = try await stored() { return response }
        guard rules.maySend(request) else { return try unsatisfied("the stored response is damaged") }
        guard isShareable else { return try await send(nil) }
        let key = Flights.Key(
            name: name,
            method: request.method,
            header: Header(request.header.filter { !names.isCredential($0) })
        )
        if let flight = cache.flights.start(key) { return try await send(flight) }
        let outcome = try await cache.flights.wait(for: key, limit: waitLimit, context.clock)
        if case .stored = outcome, let response = try await stored() { return response }
        return try await send(nil)
    }

    /// Whether an equal request may get the same response.
    private var isShareable: Bool {
        guard request.method == .get, request.body.isNone, !CacheControl(request.header).contains("no-store") else {
            return false
        }
        switch request.options.cachePolicy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: return false
        default: return true
        }
    }

    /// How long the request may wait for an equal one, which is part of its attempt.
    private var waitLimit: (after: Duration, error: TransportError)? {
        let timeouts = context.options.timeouts
        let limits = [(timeouts.idle, TransportError.Limit.idle), (timeouts.attempt, .attempt)]
        let first = limits.compactMap { limit, kind in limit.map { ($0, kind) } }.min { $0.0 < $1.0 }
        return first.map { limit, kind in
            let message = "\(request.url): no response within \(limit) while waiting for an equal request"
            return (limit, TransportError(code: .timedOut(kind), message: message, phase: .receiving))
        }
    }

    /// Returns a stored response. `nil` if the request must be sent.
    private func stored() async throws -> Response<ResponseBody>? {
        let entries = await entries()
        switch rules.answer(to: request, from: entries.map(\.response), at: context.date) {
        case .fresh(let selection): return await serve(entries[selection.index], selection.status(.hit))
        case .stale(let selection, let revalidation):
            guard let response = await serve(entries[selection.index], selection.status(.stale)) else { return nil }
            if let revalidation { revalidateInBackground(with: revalidation, entries, selection) }
            return response
        case .unsatisfiable(let reason): return try unsatisfied(reason)
        case .revalidate, .complete, .miss: return nil
        }
    }

    /// Sends the request, with the condition or the range that fits the stored responses now.
    private func send(_ flight: Flight?) async throws -> Response<ResponseBody> {
        let entries = await entries()
        var attempt = Attempt(request: request, entries: entries, flight: flight, reason: "")
        switch rules.answer(to: request, from: entries.map(\.response), at: context.date) {
        case .fresh(let selection) where flight != nil:
            // Another request has stored it in the meantime.
            if let response = await serve(entries[selection.index], selection.status(.hit)) {
                flight?.finish(.stored)
                return response
            }
            attempt.reason = "damaged"
        case .revalidate(let selection, let conditional), .complete(let selection, let conditional):
            attempt.request = conditional
            attempt.selected = selection.index
            attempt.reason = selection.reason
        case .miss(let reason), .unsatisfiable(let reason): attempt.reason = reason
        case .fresh(let selection), .stale(let selection, _): attempt.reason = selection.reason
        }
        return try await send(attempt)
    }

    /// Fails, or responds with status 504, because the request must not be sent (RFC 9111 §5.2.1.7).
    private func unsatisfied(_ reason: String) throws -> Response<ResponseBody> {
        guard request.options.cachePolicy == .returnCacheDataDontLoad else {
            var response = try Response.stub(504, for: request)
            response.head.cacheStatus = CacheStatus(.miss, reason: "only-if-cached, \(reason)")
            return response
        }
        throw ClientError(
            code: .notCached,
            message: "\(request): the cache has no response (\(reason)); use another cachePolicy to load it"
        )
    }

    /// Updates a stored response while the caller reads it (RFC 5861 §3).
    private func revalidateInBackground(
        with conditional: PreparedRequest,
        _ entries: [HTTPCache.Entry],
        _ selection: HTTPCache.Selection
    ) {
        let key = Flights.Key(name: name, method: request.method, header: ["X": "background"])
        guard let flight = cache.flights.start(key) else { return }
        context.runInBackground { [self] in
            var attempt = Attempt(request: conditional, entries: entries, flight: nil, reason: selection.reason)
            attempt.selected = selection.index
            let response = try await send(attempt)
            while try await response.content.nextChunk() != nil {}
            flight.finish(.stored)
        }
    }
}

extension HTTPCache.Selection {
    fileprivate func status(_ kind: CacheStatus.Kind) -> CacheStatus { CacheStatus(kind, age: age, reason: reason) }
}
