import Requests
import RequestsClient

/// One request on its way through a cache: carries out what the rules decide.
struct CachedExchange: Sendable {
    let cache: HTTPCache
    let names: EntryNames
    let request: PreparedRequest
    let context: CallContext
    let next: Middleware.Next

    /// The rules, which tell users apart as the names do.
    var rules: HTTPCache.Rules {
        var rules = cache.rules
        (rules.key, rules.hasIdentity) = (names.key, names.identity != nil)
        return rules
    }

    private enum Step {
        case respond(Response<ResponseBody>)
        case send(HTTPCache.Attempt, [HTTPCache.Entry])
    }

    /// Serves the request from the store, or sends it. Equal requests wait for the first one.
    func run() async throws -> Response<ResponseBody> {
        let endCount = cache.flights.endCount
        let first = try await step(await entries())
        guard case .send = first, isShareable else { return try await carryOut(first, nil) }
        let key = [names.name] + request.header.filter { !$0.isCredential }.map { "\($0.name):\($0.value)" }
        let flight = cache.flights.start(key)
        if flight == nil {
            try await cache.flights.wait(for: key, limit: waitLimit, context.clock)
        } else if cache.flights.endCount == endCount {
            return try await carryOut(first, flight)
        }
        // Another request has changed the store in the meantime.
        return try await carryOut(try await step(await entries()), flight)
    }

    private func carryOut(_ step: Step, _ flight: Flight?) async throws -> Response<ResponseBody> {
        switch step {
        case .respond(let response): response
        case .send(let attempt, let entries): try await send(attempt, entries, flight)
        }
    }

    /// Asks the rules for the next step.
    private func step(_ entries: [HTTPCache.Entry]) async throws -> Step {
        switch rules.serve(request, from: entries.map(\.response), at: context.date) {
        case .fresh(let index, let status):
            if let response = await serve(entries[index], status) { return .respond(response) }
        case .stale(let index, let status, let revalidation):
            guard let response = await serve(entries[index], status) else { break }
            if let revalidation { revalidateInBackground(revalidation, entries) }
            return .respond(response)
        case .revalidate(let attempt), .miss(let attempt): return .send(attempt, entries)
        case .unsatisfiable(let reason): return .respond(try unsatisfied(reason))
        }
        // The stored body can't be read.
        return try await step([])
    }

    /// Whether an equal request may get the same response.
    private var isShareable: Bool {
        request.method == .get && rules.bypass(of: request) == nil
            && !CacheControl(request.header).contains("no-store")
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
    private func revalidateInBackground(_ attempt: HTTPCache.Attempt, _ entries: [HTTPCache.Entry]) {
        guard let flight = cache.flights.start([names.name, "background"]) else { return }
        context.runInBackground { [self] in
            let response = try await send(attempt, entries, nil)
            while try await response.content.nextChunk() != nil {}
            flight.finish()
        }
    }
}
