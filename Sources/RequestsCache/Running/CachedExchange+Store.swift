import Requests
import RequestsClient

/// What an exchange reads from the store, and what it changes. Errors of the store are logged.
extension CachedExchange {
    /// Returns the stored responses of the request's URL and user, by the numbers of their variants. The ones after a
    /// number that was removed are found again when a new response has that number.
    func entries() async -> [HTTPCache.Entry] {
        var entries: [HTTPCache.Entry] = []
        guard identity != nil else { return [] }
        await attempt(or: "nothing is read") { store in
            while entries.count < EntryNames.maximumVariants,
                let entry = try await store.entry(variant(entries.count))
            {
                entries.append(entry)
                // There are others only if they differ by a field of the request.
                if entry.response.varying.isEmpty { break }
            }
        }
        return entries
    }

    /// Responds with a stored response. Returns `nil` if its body can't be read.
    func serve(_ entry: HTTPCache.Entry, _ status: CacheStatus) async -> Response<ResponseBody>? {
        await attempt(or: "a stored response can't be read") { _ in
            let (head, bytes) = try entry.response.reply(to: request, status)
            var body = try await entry.body(bytes)
            let isWhole = bytes == 0..<entry.response.length
            if isWhole, entry.response.isDecoded || !entry.response.trailers.header.isEmpty {
                body = ResponseBody(source: StoredBody([body], of: entry.response))
            }
            if context.isLogging { log("\(status)") }
            return Response(head: head, content: body)
        }
    }

    /// Updates and removes stored responses. A new one is stored with its body.
    func apply(_ effects: [HTTPCache.Outcome.Effect], among entries: [HTTPCache.Entry]) async {
        for effect in effects {
            switch effect {
            case .freshen(let new, let index) where mayStore:
                await attempt { try await $0.update(variant(index), to: new) }
            case .store, .freshen: break
            // The ones after it would be found again when another one takes its place.
            case .remove(let index): for later in index..<entries.count { await remove(variant(later)) }
            case .invalidate(let urls):
                for prefix in urls.map(names.prefix(for:)) {
                    cache.order.withLock { $0.outdate(prefix, before: $0.next()) }
                    await attempt { store in
                        let names = try await store.names(startingWith: prefix)
                        for name in names { await remove(name) }
                    }
                }
            }
        }
    }

    /// Whether nothing newer than the response to the request was seen.
    var mayStore: Bool {
        !cache.order.withLock { $0.isOutdated([name, names.prefix(for: request.url)], number) }
    }

    func remove(_ name: String) async { await attempt { try await $0.update(name, to: nil) } }

    /// Uses the store. If that fails, logs the consequence and returns `nil`.
    @discardableResult
    func attempt<Value>(
        or consequence: String = "the store isn't updated",
        _ use: (any CacheStore) async throws -> Value
    ) async -> Value? {
        do {
            return try await use(cache.store)
        } catch {
            log("\(consequence): \(HTTPCache.reason(of: error))")
            return nil
        }
    }

    @Sendable func log(_ message: String) { context.log(.message("cache: \(message)")) }
}
