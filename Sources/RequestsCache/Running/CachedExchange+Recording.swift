import Requests
import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How an exchange stores a response.
extension CachedExchange {
    /// Stores a response while the caller reads it.
    ///
    /// - Parameter matching: The index of the entry that the response replaces or continues. `nil` if there is none.
    func record(
        _ response: Response<ResponseBody>,
        as new: HTTPCache.StoredResponse,
        _ attempt: Attempt,
        _ matching: Int?
    ) async -> Response<ResponseBody> {
        // Others needn't wait for a response that they can't use.
        let isUsable = if case .fresh = rules.answer(to: request, from: [new], at: context.date) { true } else { false }
        if !isUsable { attempt.flight?.finish(.notShared) }
        var combination = matching.flatMap { attempt.entries[$0].response.combined(with: new) }
        // Writing the stored bytes again for each small part would take quadratic time.
        if let kept = combination?.kept, Int64(kept.count) > max(new.length, 64 << 10) { combination = nil }
        var stored = combination?.response ?? new
        // The length of a part is in Content-Range, even if it is sent in chunks.
        let length = new.isPartial ? new.length : response.head.expectedBytes(to: request.method)
        do {
            let prefix: ResponseBody? =
                if let matching, let combination {
                    try await attempt.entries[matching].body(combination.kept)
                } else { nil }
            let writer = try await cache.store.write(stored, to: entryName(among: attempt.entries, at: matching))
            stored.length = 0
            let record = Record(
                response: stored,
                prefix: prefix,
                writer: writer,
                expectedLength: response.content.isDecoded
                    ? nil : length.map { $0 + (combination?.kept.upperBound ?? 0) },
                flight: attempt.flight
            ) { [context] in context.log(.message("cache: \($0)")) }
            var response = response
            response.content = RecordedBody.start(response.content, from: response.head.url, record)
            return response
        } catch {
            log("the response isn't stored: \(HTTPCache.reason(of: error))")
            return response
        }
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
        guard isPart else { return await record(response, as: new, attempt, selected) }
        let old = attempt.entries[selected]
        guard let (whole, kept) = old.response.combined(with: new), whole.statusCode == 200,
            let stored = try? await old.body(kept)
        else { return try await sendAgain(attempt, insteadOf: response, reason: "another version") }
        let status = CacheStatus(.revalidated, age: Int(new.age(at: context.date)), reason: attempt.reason)
        var completed = response
        completed.head = try whole.reply(to: request, status).head
        completed.content = ResponseBody(source: CompletedSource(stored, response.content, whole.length))
        return await record(completed, as: whole, attempt, selected)
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

/// Stored bytes, and after them the bytes from the server that complete them.
private final class CompletedSource: ResponseBodySource {
    private let stored: ResponseBody
    private let rest: ResponseBody
    private let missing: Locked<Int64>

    init(_ stored: ResponseBody, _ rest: ResponseBody, _ length: Int64) {
        self.stored = stored
        self.rest = rest
        missing = Locked(length)
    }

    func next() async throws -> Data? {
        let chunk = if let chunk = try await stored.nextChunk() { chunk } else { try await rest.nextChunk() }
        let missing = missing.withLock { missing in
            missing -= Int64(chunk?.count ?? 0)
            return missing
        }
        guard missing < 0 || chunk == nil && missing > 0 else { return chunk }
        throw TransportError(
            code: .truncated,
            message: "the part that completes the stored response differs from its Content-Range; send it again",
            phase: .receiving
        )
    }

    func collect(upTo maximumBytes: Int) async throws -> Data { try await collectChunks(upTo: maximumBytes) }
    func cancel() { rest.cancel() }
    var trailers: Header? { rest.trailers }
    var boxedMetrics: TransferMetrics.Boxed? { rest.boxedMetrics }
    var isRead: Bool { false }
}
