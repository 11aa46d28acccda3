import Foundation
import Requests
import RequestsClient

/// How an exchange stores a response.
extension CachedExchange {
    /// Stores a response while the caller reads it.
    ///
    /// - Parameters:
    ///   - matching: The index of the entry that the response replaces or continues. `nil` if there is none.
    ///   - isWhole: Whether the caller gets the stored bytes before a part, too.
    func record(
        _ response: Response<ResponseBody>,
        as new: HTTPCache.StoredResponse,
        _ attempt: Attempt,
        _ matching: Int?,
        isWhole: Bool = false
    ) async throws -> Response<ResponseBody> {
        let old = matching.map { attempt.entries[$0] }
        var combination = old?.response.combined(with: new)
        // Reading and writing the stored bytes again for each small part would take quadratic time.
        if !isWhole, let kept = combination?.kept, Int64(kept.count) > max(new.length, 64 << 10) { combination = nil }
        // Others needn't wait for a response that they can't use.
        let isUsable = if case .fresh = rules.answer(to: request, from: [new], at: context.date) { true } else { false }
        if !isUsable { attempt.flight?.finish(.notShared) }
        let isDecoded = response.content.isDecoded
        // The length of a part is in Content-Range, even if it is sent in chunks.
        let expectedBytes =
            isDecoded ? nil : new.isPartial ? new.length : response.head.expectedBytes(to: request.method)
        var stored = combination?.response ?? new
        var record: Record?
        var prefix: ResponseBody?
        do {
            if let old, let combination { prefix = try await old.body(combination.kept) }
            let writer = try await cache.store.write(stored, to: entryName(among: attempt.entries, at: matching))
            stored.length = 0
            record = Record(
                response: stored,
                writer: writer,
                expectedLength: expectedBytes.map { $0 + (combination?.kept.upperBound ?? 0) },
                flight: attempt.flight
            ) { [context] in context.log(.message("cache: \($0)")) }
        } catch {
            log("the response isn't stored: \(HTTPCache.reason(of: error))")
            // Without the stored bytes the part isn't the whole response.
            if isWhole { return try await sendAgain(attempt, insteadOf: response, reason: "damaged") }
        }
        guard let record else { return response }
        var response = response
        response.content = RecordedBody.start(
            response.content,
            from: response.head.url,
            record,
            after: prefix,
            isWhole: isWhole
        )
        return response
    }

    /// The response is the missing part, or a new version (RFC 9111 §3.4).
    func complete(
        _ response: Response<ResponseBody>,
        _ attempt: Attempt,
        _ selected: Int,
        _ effect: HTTPCache.Effect
    ) async throws -> Response<ResponseBody> {
        let isPart = response.head.statusCode == 206 || response.head.statusCode == 416
        guard case .store(let new) = effect, isSentUnchanged else {
            return isPart ? try await sendAgain(attempt, insteadOf: response, reason: "another version") : response
        }
        guard isPart else { return try await record(response, as: new, attempt, selected) }
        guard let whole = attempt.entries[selected].response.combined(with: new)?.response, whole.statusCode == 200
        else { return try await sendAgain(attempt, insteadOf: response, reason: "another version") }
        let status = CacheStatus(.revalidated, age: Int(new.age(at: context.date)), reason: attempt.reason)
        let head = try whole.reply(to: request, status).head
        var recorded = try await record(response, as: new, attempt, selected, isWhole: true)
        if recorded.head.statusCode == 206 { recorded.head = head }
        return recorded
    }

    /// Sends the original request.
    func sendAgain(
        _ attempt: Attempt,
        insteadOf response: Response<ResponseBody>,
        reason: String
    ) async throws -> Response<ResponseBody> {
        response.content.cancel()
        return try await send(
            Attempt(request: request, entries: attempt.entries, flight: attempt.flight, reason: reason)
        )
    }
}
