import Requests
import RequestsClient
import RequestsSystem

/// An HTTP cache (RFC 9111) for a client.
///
/// ```swift
/// client.configuration.cache = HTTPCache(.memory(50 << 20))
/// ```
///
/// Clients share responses only if they share the cache. Responses to different credentials are kept apart. The body is
/// stored while the caller reads it. `response.head.cacheStatus` says how the cache contributed to a response.
public final class HTTPCache: Middleware, ScopedMiddleware {
    /// The rules.
    public let rules: Rules

    let store: any CacheStore
    let flights = Flights()
    private let names = Locked<Task<EntryNames, Never>?>(nil)

    /// The name of the entry with the secret key of the digests that stand for credentials.
    static let keyName = "key"

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - store: Where the responses are kept.
    ///   - rules: The rules. Default: a private cache.
    public init(_ store: some CacheStore, rules: Rules = Rules()) {
        self.store = store
        self.rules = rules
    }

    /// Responds with a stored response if the rules allow it, or sends the request on and stores the response.
    @concurrent
    public func intercept(
        _ request: PreparedRequest,
        context: CallContext,
        next: @escaping Next
    ) async throws -> Response<ResponseBody> {
        let names = await names(for: request, context)
        return try await CachedExchange(cache: self, names: names, request: request, context: context, next: next).run()
    }

    /// Returns the stored responses whose URLs start with a prefix.
    ///
    /// - Parameter prefix: The start of the URLs, as in `https://api.example.com/users`. Default: all URLs.
    public func responses(startingWith prefix: String = "") async throws -> [StoredResponse] {
        try await entries(startingWith: prefix).map(\.response)
    }

    /// Removes the stored responses whose URLs start with a prefix.
    ///
    /// - Parameter prefix: The start of the URLs, as in `https://api.example.com/users`. Default: all URLs.
    public func removeResponses(startingWith prefix: String = "") async throws {
        for (name, _) in try await entries(startingWith: prefix) { try await store.update(name, to: nil) }
    }

    private func entries(startingWith prefix: String) async throws -> [(name: String, response: StoredResponse)] {
        var entries: [(String, StoredResponse)] = []
        for name in try await store.names(startingWith: "") {
            guard let response = try await store.entry(name)?.response, response.url.hasPrefix(prefix) else { continue }
            entries.append((name, response))
        }
        return entries
    }

    /// Returns the names of a request's entries. Their key is read from the store once.
    private func names(for request: PreparedRequest, _ context: CallContext) async -> EntryNames {
        let task = names.withLock { names in
            let load = { @Sendable [store] in EntryNames(key: await EntryNames.loadKey(from: store, context)) }
            let task = names ?? Task(executorPreference: CallState.executor, operation: load)
            names = task
            return task
        }
        var copy = await task.value
        copy.identify(request, as: context.identity)
        return copy
    }
}

extension ClientError.Code {
    /// The request must be answered from the cache, which has no response.
    public static let notCached = ClientError.Code(rawValue: "notCached")
}

extension HTTPCache {
    /// The description of an error of a store, without secrets.
    static func reason(of error: any Error) -> String { error.systemMessage ?? Redaction.reason(error) }
}
