import Requests
import RequestsClient

/// What an exchange sends, and how it carries out what follows.
extension CachedExchange {
    /// - Parameter flight: Ends when the response is stored. `nil` if no other request waits for it.
    func send(_ attempt: HTTPCache.Attempt, _ entries: [HTTPCache.Entry], _ flight: Flight?) async throws
        -> Response<ResponseBody>
    {
        var attempt = attempt
        let requestTime = context.date
        var response: Response<ResponseBody>?
        var failure: (any Error)?
        do {
            response = try await next(attempt.sent)
        } catch {
            guard (error as? TransportError)?.isDisconnection ?? false else { throw error }
            failure = error
        }
        attempt.isStorable = isSentUnchanged
        let outcome = rules.follow(
            response?.head,
            to: attempt,
            requestTime: requestTime,
            responseTime: context.date,
            isDecoded: response?.content.isDecoded ?? false
        )
        await apply(outcome.effects)
        switch outcome.reply {
        case .stored(let stored, let index, let status):
            flight?.finish()
            var entry = entries[index]
            entry.response = stored
            guard var served = await serve(entry, status) else { break }
            guard let response, status.kind == .revalidated else { return served }
            served.boxedMetrics = response.boxedMetrics
            // They aren't stored, but the caller's client needs them.
            for field in response.head.header
            where field.name == .setCookie || field.isSensitive && !stored.header.contains(field.name) {
                served.head.header.add(field)
            }
            return served
        case .received:
            guard var received = response else { break }
            received.head.cacheStatus = CacheStatus(.miss, reason: attempt.reason)
            if context.isLogging { log("miss: \(attempt.reason)") }
            guard case .store(let new, let index) = outcome.effects.last else { return received }
            return await record(received, as: new, at: index, among: entries, flight)
        case .completed(let whole, let index, let status):
            guard var completed = response,
                let stored = try? await entries[index].body(0..<entries[index].response.length)
            else { break }
            completed.head = try whole.reply(to: request, status).head
            completed.content = ResponseBody(source: StoredBody([stored, completed.content], of: whole))
            return await record(completed, as: whole, at: index, among: entries, flight)
        case .repeated: break
        }
        if let failure { throw failure }
        response?.content.cancel()
        return try await send(HTTPCache.Attempt(request, from: attempt.stored, reason: outcome.reason), entries, flight)
    }

    /// Whether the transport got the credentials that the cache knows. Middleware below it may have added others.
    private var isSentUnchanged: Bool {
        guard let sent = context.sent?.request.withLock({ $0 }) else { return true }
        return sent.url == request.url && sent.method == request.method
            && names.user(of: sent.header) == names.user(of: request.header)
    }

    /// Starts to store a response, and returns it with a body that is stored while the caller reads it.
    ///
    /// - Parameter index: The stored response that it replaces. `nil` if there is none.
    private func record(
        _ response: Response<ResponseBody>,
        as new: HTTPCache.StoredResponse,
        at index: Int?,
        among entries: [HTTPCache.Entry],
        _ flight: Flight?
    ) async -> Response<ResponseBody> {
        // Others needn't wait for a response that they can't use.
        if case .fresh = rules.serve(request, from: [new], at: context.date) {} else { flight?.finish() }
        let isFull = entries.count >= EntryNames.maximumVariants
        let oldest = entries.indices.min { entries[$0].response.responseTime < entries[$1].response.responseTime }
        let name = names.variant(index ?? (isFull ? oldest : nil) ?? entries.count)
        var (response, empty) = (response, new)
        empty.length = 0
        // The length of a part is in Content-Range, even if it is sent in chunks.
        let length = response.head.statusCode == 206 ? new.length : response.head.expectedBytes(to: request.method)
        do {
            let record = Record(
                response: empty,
                writer: try await cache.store.write(new, to: name),
                expectedLength: response.content.isDecoded ? nil : length,
                flight: flight,
                log: log
            )
            response.content = RecordedBody.start(response.content, from: response.head.url, record)
        } catch {
            log("the response isn't stored: \(HTTPCache.reason(of: error))")
        }
        return response
    }
}

extension TransportError {
    /// Whether no response could be received, as opposed to one that mustn't be trusted.
    fileprivate var isDisconnection: Bool {
        isTimeout && code != .timedOut(.total)
            || [.nameNotResolved, .cannotConnect, .closed, .truncated].contains(code)
    }
}
