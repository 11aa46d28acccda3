import Requests
import RequestsClient

/// What an exchange sends, and how it carries out what follows.
extension CachedExchange {
    mutating func send(
        _ attempt: HTTPCache.ForwardedRequest,
        _ entries: [HTTPCache.Entry]
    ) async throws -> Response<ResponseBody> {
        var attempt = attempt
        number = cache.order.withLock { $0.next() }
        let requestTime = context.date
        let response: Response<ResponseBody>
        do {
            response = try await next(attempt.sent)
        } catch {
            // It may have changed what is stored.
            let isProcessed = (error as? TransportError)?.requestMayHaveBeenProcessed ?? true
            if isProcessed, !request.method.isSafe { await apply([.invalidate([request.url])], among: []) }
            throw error
        }
        attempt.isStorable = isSentUnchanged(response.head.header, entries)
        let outcome = rules.follow(
            response.head,
            to: attempt,
            requestTime: requestTime,
            responseTime: context.date,
            isDecoded: response.content.isDecoded
        )
        let isNewest = mayStore
        if request.method == .get, response.head.statusCode < 500 {
            cache.order.withLock { $0.outdate(name, before: number) }
        }
        await apply(outcome.effects, among: entries)
        // Its own response is newer than its invalidation.
        if isNewest, case .invalidate? = outcome.effects.first { number = cache.order.withLock { $0.next() } }
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
            return await record(received, as: new, at: index, among: entries)
        case .completed(let whole, let index, let status):
            guard let stored = try? await entries[index].body(0..<entries[index].response.length) else { break }
            var completed = response
            completed.head = try whole.reply(to: request, status).head
            completed.content = ResponseBody(source: StoredBody([stored, completed.content], of: whole))
            return await record(completed, as: whole, at: index, among: entries)
        case .repeated: break
        }
        response.content.cancel()
        let whole = HTTPCache.ForwardedRequest(request, from: attempt.stored, reason: outcome.reason)
        return try await send(whole, entries)
    }

    /// Whether the response is to what the cache was asked for: the user is known, and middleware below the cache
    /// changed no credentials, and nothing that `Vary` names.
    private func isSentUnchanged(_ response: Header, _ entries: [HTTPCache.Entry]) -> Bool {
        guard let (authenticated, actual) = context.sent?.authenticated.withLock({ $0 }),
            let all = context.sent?.transmitted.withLock({ $0 }), all.count == 1, let transmitted = all.first,
            // The token may have become another user's, and authentication may lead to another origin.
            actual != nil, actual == identity, authenticated.hasOrigin(of: request),
            // A challenge may have changed the session.
            authenticated.header[.cookie] == request.header[.cookie]
        else { return false }
        let new = response[values: .vary].flatMap(\.tokens).map { Field.Name(String($0)) }
        let varying = new + entries.flatMap(\.response.varying.keys).map { Field.Name($0) }
        return transmitted.url == authenticated.url && transmitted.method == authenticated.method
            && transmitted.header[.range] == authenticated.header[.range]
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
        among entries: [HTTPCache.Entry]
    ) async -> Response<ResponseBody> {
        guard mayStore else { return response }
        let isFull = entries.count >= EntryNames.maximumVariants
        let oldest = entries.indices.min { entries[$0].response.responseTime < entries[$1].response.responseTime }
        let position = index ?? (isFull ? oldest : nil) ?? entries.count
        if position == entries.count {
            // It would be found again after this one.
            await remove(variant(position + 1))
        } else if !entries[position].response.isSameVersion(as: new) {
            // It is outdated, even if the new one can't be stored.
            await remove(variant(position))
        }
        // The length of a part is in Content-Range, even if it is sent in chunks.
        let length = response.head.statusCode == 206 ? new.length : response.head.expectedBytes(to: request.method)
        let expected = response.content.isDecoded ? nil : length
        let writer = await attempt(or: "the response isn't stored") { try await $0.write(new, to: variant(position)) }
        guard let writer else { return response }
        let recorded = RecordedBody(response.content, as: new, writer, expectedLength: expected, self, at: position)
        var response = response
        response.content = ResponseBody(source: recorded)
        return response
    }
}
