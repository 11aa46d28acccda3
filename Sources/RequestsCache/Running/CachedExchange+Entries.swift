import Requests
import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an exchange reads from the store, and what it removes. Errors of the store are logged.
extension CachedExchange {
    /// Returns the stored responses of the request's URL and user, by the numbers of their variants.
    func entries() async -> [HTTPCache.Entry] {
        var entries: [HTTPCache.Entry] = []
        do {
            while entries.count < EntryNames.maximumVariants,
                let entry = try await cache.store.entry(EntryNames.variant(name, entries.count))
            {
                entries.append(entry)
                // There are others only if they differ by a field of the request.
                if entry.response.varying.isEmpty { break }
            }
        } catch {
            log("nothing is read: \(HTTPCache.reason(of: error))")
        }
        return entries
    }

    /// Returns the name under which a new response is stored: the one of the response that it replaces, or a free one.
    func entryName(among entries: [HTTPCache.Entry], at selected: Int?) -> String {
        let matching = selected ?? entries.firstIndex { rules.matches($0.response, request) }
        if let matching { return EntryNames.variant(name, matching) }
        guard entries.count >= EntryNames.maximumVariants else { return EntryNames.variant(name, entries.count) }
        let oldest = entries.indices.min { entries[$0].response.responseTime < entries[$1].response.responseTime }
        return EntryNames.variant(name, oldest ?? 0)
    }

    /// Responds with a stored response. Returns `nil` if its body can't be read.
    func serve(_ entry: HTTPCache.Entry, _ status: CacheStatus) async -> Response<ResponseBody>? {
        do {
            let (head, bytes) = try entry.response.reply(to: request, status)
            var body = bytes.isEmpty ? ResponseBody(Data()) : try await entry.body(bytes)
            if entry.response.isDecoded { body = ResponseBody(source: DecodedSource(body)) }
            if context.isLogging { log("\(status)") }
            return Response(head: head, content: body)
        } catch {
            log("a stored response can't be read: \(HTTPCache.reason(of: error))")
            return nil
        }
    }

    /// Replaces a stored response, or removes it.
    func update(_ index: Int, to response: HTTPCache.StoredResponse?) async {
        do {
            try await cache.store.update(EntryNames.variant(name, index), to: response)
        } catch {
            log("the response isn't updated: \(HTTPCache.reason(of: error))")
        }
    }

    /// Removes the stored responses of URLs, whoever the user is.
    func invalidate(_ urls: [RequestURL]) async {
        do {
            for url in urls {
                for name in try await cache.store.names(startingWith: names.prefix(for: url)) {
                    try await cache.store.update(name, to: nil)
                }
            }
        } catch {
            log("responses aren't removed: \(HTTPCache.reason(of: error))")
        }
    }

    func log(_ message: String) { context.log(.message("cache: \(message)")) }
}

/// A stored body that a transport decoded.
private final class DecodedSource: ResponseBodySource {
    private let body: ResponseBody

    init(_ body: ResponseBody) {
        self.body = body
    }

    func next() async throws -> Data? { try await body.nextChunk() }
    func collect(upTo maximumBytes: Int) async throws -> Data { try await body.collect(upTo: maximumBytes) }
    func cancel() { body.cancel() }
    var trailers: Header? { nil }
    var isDecoded: Bool { true }
    var isComplete: Bool { body.isComplete }
    var isRead: Bool { body.isRead }
}
