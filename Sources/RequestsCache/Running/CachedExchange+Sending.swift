import Requests
import RequestsClient

/// What an exchange sends, and how it carries out what follows.
extension CachedExchange {
    /// - Parameter flight: Ends when the response is stored. `nil` if no other request waits for it.
    func send(
        _ attempt: HTTPCache.Attempt,
        _ entries: [HTTPCache.Entry],
        _ flight: Flight?
    ) async throws -> Response<ResponseBody> {
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
            var entry = entries[index]
            entry.response = stored
            flight?.finish(outcome.isShared ? .stored : .notShared)
            if let served = await serve(entry, status) {
                response?.content.cancel()
                return response.map { served.confirmed(by: $0, status) } ?? served
            }
        case .received:
            guard var received = response else { break }
            received.head.cacheStatus = CacheStatus(.miss, reason: attempt.reason)
            if context.isLogging { log("miss: \(attempt.reason)") }
            guard case .store(let new, let index) = outcome.effects.last else { return received }
            return await record(received, as: new, at: index, attempt, nil, flight)
        case .completed(let whole, let index, let status):
            guard var completed = response,
                let stored = try? await entries[index].body(0..<entries[index].response.length)
            else { break }
            completed.head = try whole.reply(to: request, status).head
            return await record(completed, as: whole, at: index, attempt, stored, flight)
        case .repeated: break
        }
        if let failure { throw failure }
        response?.content.cancel()
        let again = HTTPCache.Attempt(request, from: attempt.stored, reason: outcome.reason)
        return try await send(again, entries, flight)
    }

    /// Whether the transport got the credentials that the cache knows. Middleware below it may have added others.
    private var isSentUnchanged: Bool {
        guard let sent = context.sent?.request.withLock({ $0 }) else { return true }
        return sent.url == request.url && sent.method == request.method
            && names.user(of: sent.header) == names.user(of: request.header)
    }

    /// The name under which a new response is stored: the one of the response that it replaces, or a free one.
    private func name(at index: Int?, among stored: [HTTPCache.StoredResponse]) -> String {
        let isFull = stored.count >= EntryNames.maximumVariants
        let oldest = stored.indices.min { stored[$0].responseTime < stored[$1].responseTime }
        return EntryNames.variant(name, index ?? (isFull ? oldest : nil) ?? stored.count)
    }

    /// Starts to store a response, and returns it with a body that is stored while the caller reads it.
    ///
    /// - Parameter beginning: The stored bytes that the body continues. `nil` for a whole body.
    private func record(
        _ response: Response<ResponseBody>,
        as new: HTTPCache.StoredResponse,
        at index: Int?,
        _ attempt: HTTPCache.Attempt,
        _ beginning: ResponseBody?,
        _ flight: Flight?
    ) async -> Response<ResponseBody> {
        // Others needn't wait for a response that they can't use.
        if case .fresh = rules.serve(request, from: [new], at: context.date) {} else { flight?.finish(.notShared) }
        var response = response
        var length = response.head.expectedBytes(to: request.method)
        // The length of a part is in Content-Range, even if it is sent in chunks.
        if new.isPartial || beginning != nil { length = new.length }
        if let beginning {
            response.content = ResponseBody(source: StoredBody([beginning, response.content], new.length))
        }
        do {
            let writer = try await cache.store.write(new, to: name(at: index, among: attempt.stored))
            if response.content.isDecoded { length = nil }
            var empty = new
            empty.length = 0
            let record = Record(response: empty, writer: writer, expectedLength: length, flight: flight) { [self] in
                log($0)
            }
            response.content = RecordedBody.start(response.content, from: response.head.url, record)
        } catch {
            log("the response isn't stored: \(HTTPCache.reason(of: error))")
        }
        return response
    }
}

extension Response<ResponseBody> {
    /// Adds what the client needs from the response that confirmed a stored one.
    fileprivate func confirmed(by other: Response<ResponseBody>, _ status: CacheStatus) -> Self {
        guard status.kind == .revalidated else { return self }
        var copy = self
        copy.boxedMetrics = other.boxedMetrics
        for field in other.head.header where field.name == .setCookie || field.isSensitive {
            copy.head.header.add(field)
        }
        return copy
    }
}

extension HTTPCache.Outcome {
    /// Whether equal requests get the stored response, too.
    fileprivate var isShared: Bool {
        if case .freshen = effects.last { true } else { false }
    }
}

extension TransportError {
    /// Whether no response could be received, as opposed to one that mustn't be trusted.
    fileprivate var isDisconnection: Bool {
        [.nameNotResolved, .cannotConnect, .closed, .truncated, .timedOut(.connect), .timedOut(.idle)].contains(code)
    }
}
