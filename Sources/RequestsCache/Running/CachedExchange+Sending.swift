import Requests
import RequestsClient

/// What an exchange sends, and how it carries out what follows.
extension CachedExchange {
    func send(_ attempt: HTTPCache.Attempt, _ entries: [HTTPCache.Entry]) async throws -> Response<ResponseBody> {
        var attempt = attempt
        let prefix = names.prefix(for: request.url)
        let invalidations = cache.invalidations.withLock(\.count)
        let requestTime = context.date
        let response = try await next(attempt.sent)
        attempt.isStorable = isSentUnchanged(response.head.header)
        let outcome = rules.follow(
            response.head,
            to: attempt,
            requestTime: requestTime,
            responseTime: context.date,
            isDecoded: response.content.isDecoded
        )
        // Its own response is newer than its invalidation.
        let own = if case .invalidate(let urls)? = outcome.effects.first { urls.count } else { 0 }
        let mayStore = { @Sendable [cache] in
            !cache.invalidations.withLock { $0.affects(prefix, since: invalidations + own) }
        }
        await apply(outcome.effects, mayStore)
        switch outcome.reply {
        case .stored(let stored, let index, let status):
            var entry = entries[index]
            entry.response = stored
            guard var served = await serve(entry, status) else { break }
            served.boxedMetrics = response.boxedMetrics
            // They aren't stored, but the caller's client needs them.
            for field in response.head.header
            where field.name == .setCookie || field.isSensitive && !stored.header.contains(field.name) {
                served.head.header.add(field)
            }
            return served
        case .received:
            var received = response
            received.head.cacheStatus = CacheStatus(.miss, reason: attempt.reason)
            if context.isLogging { log("miss: \(attempt.reason)") }
            guard case .store(let new, let index) = outcome.effects.last else { return received }
            return await record(received, as: new, at: index, among: entries, mayStore)
        case .completed(let whole, let index, let status):
            guard let stored = try? await entries[index].body(0..<entries[index].response.length) else { break }
            var completed = response
            completed.head = try whole.reply(to: request, status).head
            completed.content = ResponseBody(source: StoredBody([stored, completed.content], of: whole))
            return await record(completed, as: whole, at: index, among: entries, mayStore)
        case .repeated: break
        }
        response.content.cancel()
        return try await send(HTTPCache.Attempt(request, from: attempt.stored, reason: outcome.reason), entries)
    }

    /// Whether the response is to what the cache was asked for: the user is known, and middleware below the cache
    /// changed no credentials, and nothing that `Vary` names.
    private func isSentUnchanged(_ response: Header) -> Bool {
        guard let (authenticated, actual) = context.sent?.authenticated.withLock({ $0 }),
            let transmitted = context.sent?.transmitted.withLock({ $0 }),
            // The token may have become another user's, and authentication may lead to another origin.
            actual != nil, actual == identity, authenticated.hasOrigin(of: request)
        else { return false }
        let varying = response[values: .vary].flatMap(\.tokens).map { Field.Name(String($0)) }
        return transmitted.url == authenticated.url && transmitted.method == authenticated.method
            && names.credentials(of: transmitted.header) == names.credentials(of: authenticated.header)
            && varying.allSatisfy { transmitted.header[values: $0] == authenticated.header[values: $0] }
    }

    /// Starts to store a response, and returns it with a body that is stored while the caller reads it.
    ///
    /// - Parameter index: The stored response that it replaces. `nil` if there is none.
    private func record(
        _ response: Response<ResponseBody>,
        as new: HTTPCache.StoredResponse,
        at index: Int?,
        among entries: [HTTPCache.Entry],
        _ mayStore: @escaping @Sendable () -> Bool
    ) async -> Response<ResponseBody> {
        let isFull = entries.count >= EntryNames.maximumVariants
        let oldest = entries.indices.min { entries[$0].response.responseTime < entries[$1].response.responseTime }
        let name = variant(index ?? (isFull ? oldest : nil) ?? entries.count)
        // The length of a part is in Content-Range, even if it is sent in chunks.
        let length = response.head.statusCode == 206 ? new.length : response.head.expectedBytes(to: request.method)
        var response = response
        do {
            let recorded = RecordedBody(
                response.content,
                as: new,
                try await cache.store.write(new, to: name),
                expectedLength: response.content.isDecoded ? nil : length,
                mayStore,
                log: log
            )
            response.content = ResponseBody(source: recorded)
        } catch {
            log("the response isn't stored: \(HTTPCache.reason(of: error))")
        }
        return response
    }
}
