import Requests
import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an exchange sends, and what follows from the response.
extension CachedExchange {
    /// One request to the server.
    struct Attempt {
        /// The request, with the condition or the range that the cache added.
        var request: PreparedRequest
        let entries: [HTTPCache.Entry]
        /// The index of the entry that the request is about. `nil` if there is none.
        var selected: Int?
        /// Ends when the response is stored.
        let flight: Flight?
        /// Why no stored response was served.
        var reason: String

        var stored: HTTPCache.Entry? { selected.map { entries[$0] } }
    }

    func send(_ attempt: Attempt) async throws -> Response<ResponseBody> {
        let requestTime = context.date
        var response: Response<ResponseBody>
        do {
            response = try await next(attempt.request)
        } catch {
            guard (error as? TransportError)?.isDisconnection ?? false,
                let stale = await serveStale(attempt, statusCode: nil)
            else { throw error }
            return stale
        }
        if let stale = await serveStale(attempt, statusCode: response.head.statusCode) {
            response.content.cancel()
            return stale
        }
        response.head.cacheStatus = CacheStatus(.miss, reason: attempt.reason)
        if context.isLogging { log("miss: \(attempt.reason)") }
        return try await handle(response, attempt, requestTime: requestTime)
    }

    private func handle(
        _ response: Response<ResponseBody>,
        _ attempt: Attempt,
        requestTime: Date
    ) async throws -> Response<ResponseBody> {
        let head = response.head
        let matching = attempt.selected ?? attempt.entries.firstIndex { rules.matches($0.response, request) }
        let effect = rules.effect(
            of: head,
            to: request,
            updating: matching.map { attempt.entries[$0].response },
            requestTime: requestTime,
            responseTime: context.date,
            isDecoded: response.content.isDecoded
        )
        if head.statusCode == 304 { return try await confirm(response, attempt, effect) }
        if let selected = attempt.selected, attempt.isCompletion(for: request) {
            return try await complete(response, attempt, selected, effect)
        }
        switch effect {
        case .store(let new) where !request.method.isSafe:
            await invalidate(rules.changedURLs(after: head, of: request))
            let attempt = Attempt(request: request, entries: [], flight: nil, reason: attempt.reason)
            return isSentUnchanged ? await record(response, as: new, attempt, nil) : response
        case .store(let new):
            guard isSentUnchanged else { return response }
            if let matching, let kept = attempt.entries[matching].response.freshened(by: new) {
                await update(matching, to: kept)
                return response
            }
            // A part must not replace the whole response.
            if new.isPartial, let matching, !attempt.entries[matching].response.isPartial { return response }
            return await record(response, as: new, attempt, matching)
        case .freshen(let update):
            if let matching { await self.update(matching, to: update) }
        case .invalidate(let urls, _): await invalidate(urls)
        case .ignore: break
        }
        return response
    }

    /// Whether the transport got the credentials that the cache knows. Middleware below it may have added others.
    var isSentUnchanged: Bool {
        guard let sent = context.sent?.request.withLock({ $0 }) else { return true }
        return sent.url == request.url && sent.method == request.method
            && names.user(of: sent.header) == names.user(of: request.header)
    }

    /// Serves a stale response if the server failed and the rules allow it.
    private func serveStale(_ attempt: Attempt, statusCode: Int?) async -> Response<ResponseBody>? {
        guard let entry = attempt.stored, entry.response.canAnswer(request), statusCode.map({ $0 >= 500 }) ?? true,
            let reason = rules.reasonForStale(entry.response, for: request, statusCode: statusCode, at: context.date)
        else { return nil }
        let age = Int(entry.response.age(at: context.date))
        return await serve(entry, CacheStatus(.stale, age: age, reason: reason))
    }

    /// The server says that the stored response is current, or that the caller's is (RFC 9111 §4.3.3).
    private func confirm(
        _ response: Response<ResponseBody>,
        _ attempt: Attempt,
        _ effect: HTTPCache.Effect
    ) async throws -> Response<ResponseBody> {
        // Without a tag, the 304 can be about the caller's own condition.
        let isAmbiguous =
            request.hasOwnCondition && !response.head.header.contains(.eTag)
            && (attempt.stored?.response.entityTag != nil || attempt.request == request)
        if case .invalidate(let urls, _) = effect { await invalidate(urls) }
        if case .freshen(let update) = effect, let selected = attempt.selected, !isAmbiguous {
            // The body is the caller's, but nothing of the response may be stored any longer (RFC 9111 §5.2.2.5).
            let isStored = !update.control.contains("no-store")
            await self.update(selected, to: isStored ? update : nil)
            attempt.flight?.finish(isStored ? .stored : .notShared)
            var entry = attempt.entries[selected]
            entry.response = update
            let age = Int(update.age(at: context.date))
            if var served = await serve(entry, CacheStatus(.revalidated, age: age, reason: attempt.reason)) {
                response.content.cancel()
                served.boxedMetrics = response.boxedMetrics
                // They aren't stored, but the caller's client needs them.
                for field in response.head.header where field.name == .setCookie || field.isSensitive {
                    served.head.header.add(field)
                }
                return served
            }
        } else if request.hasOwnCondition {
            return response
        }
        guard attempt.request != request else { return response }
        return try await sendAgain(attempt, insteadOf: response, reason: "304 for another version")
    }
}

extension CachedExchange.Attempt {
    /// Whether the cache added the range.
    func isCompletion(for original: PreparedRequest) -> Bool {
        request.header.contains(.range) && !original.header.contains(.range)
    }
}

extension HTTPCache.StoredResponse {
    /// Returns this whole response with the fields of a part of the same version. `nil` if it isn't the same version.
    fileprivate func freshened(by part: HTTPCache.StoredResponse) -> Self? {
        guard part.isPartial, !isPartial, statusCode == 200, let validator = strongValidator,
            validator == part.strongValidator,
            let head = try? ResponseHead(statusCode: 206, header: part.header, url: RequestURL(url))
        else { return nil }
        return updated(by: head, requestTime: part.requestTime, responseTime: part.responseTime)
    }
}

extension TransportError {
    /// Whether no response could be received, as opposed to one that mustn't be trusted.
    fileprivate var isDisconnection: Bool {
        [.nameNotResolved, .cannotConnect, .closed, .truncated, .timedOut(.connect), .timedOut(.idle)].contains(code)
    }
}
