import Requests
import RequestsClient

/// One request on its way through a cache: carries out what the rules decide.
struct CachedExchange: Sendable {
    let cache: HTTPCache
    let names: EntryNames
    /// The identity of the credentials that the request will get. `nil` if it isn't known, so that nothing is stored.
    let identity: String?
    let request: PreparedRequest
    let context: CallContext
    let next: Middleware.Next
    /// The name of the request's entries, without the number of the variant.
    let name: String
    /// The number of the request that was sent last. 0 before the first one.
    var number = 0

    init(
        _ cache: HTTPCache,
        _ request: PreparedRequest,
        _ context: CallContext,
        next: @escaping Middleware.Next
    ) async {
        (self.cache, self.request, self.context, self.next) = (cache, request, context, next)
        do {
            (names, identity) = (try await cache.names(), context.identity)
        } catch {
            // Without the names, nothing is found or stored.
            (names, identity) = (EntryNames(key: [], partition: ""), nil)
            context.log(.message("cache: it isn't used: \(HTTPCache.reason(of: error))"))
        }
        name = names.name(for: request, of: identity ?? "")
    }

    /// The name of the entry of a variant.
    func variant(_ number: Int) -> String { "\(name).\(number)" }

    /// The rules for this request.
    var rules: HTTPCache.Rules {
        var rules = cache.rules
        rules.key = names.key
        if context.attempt > 1 { rules.retries = context.options.retries }
        return rules
    }

    /// Serves the request from the store, or sends it and stores the response.
    mutating func run() async throws -> Response<ResponseBody> {
        var entries = await entries()
        while true {
            switch rules.serve(request, from: entries.map(\.response), at: context.date) {
            case .fresh(let index, let status):
                if let response = await serve(entries[index], status) { return response }
            case .stale(let index, let status, let revalidation):
                guard let response = await serve(entries[index], status) else { break }
                if let revalidation { revalidateInBackground(revalidation, entries) }
                return response
            case .revalidate(let attempt), .miss(let attempt): return try await send(attempt, entries)
            case .unsatisfiable(let reason): return try unsatisfied(reason)
            }
            // The stored body can't be read.
            entries = []
        }
    }

    /// Returns a stored response in place of a failure.
    func lastResort(after failure: RetryPolicy.Outcome) async -> Response<ResponseBody>? {
        let entries = await entries()
        let stale = rules.lastResort(for: request, from: entries.map(\.response), after: failure, at: context.date)
        guard let (index, status) = stale else { return nil }
        return await serve(entries[index], status)
    }

    /// Fails, or responds with status 504, because the request must not be sent (RFC 9111 §5.2.1.7).
    private func unsatisfied(_ reason: String) throws -> Response<ResponseBody> {
        guard request.options.cachePolicy == .returnCacheDataDontLoad else {
            var response = try Response(status: 504, for: request)
            response.head.cacheStatus = CacheStatus(.miss, reason: "only-if-cached, \(reason)")
            return response
        }
        let message = "\(request): the cache has no response (\(reason)); use another cachePolicy to load it"
        throw ClientError(code: .notCached, message: message)
    }

    /// Updates a stored response while the caller reads it (RFC 5861 §3). Each is updated by one request at a time.
    private func revalidateInBackground(_ attempt: HTTPCache.ForwardedRequest, _ entries: [HTTPCache.Entry]) {
        let name = variant(attempt.selected ?? 0)
        guard cache.revalidated.withLock({ $0.insert(name).inserted }) else { return }
        context.background { [self] in
            var exchange = self
            let response = try await exchange.send(attempt, entries)
            while try await response.content.nextChunk() != nil {}
        } end: { [cache] in
            cache.revalidated.withLock { _ = $0.remove(name) }
        }
    }
}
