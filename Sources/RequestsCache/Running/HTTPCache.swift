import Requests
import RequestsClient
import RequestsSystem

/// An HTTP cache (RFC 9111) for a client.
///
/// ```swift
/// client.configuration.cache = HTTPCache(.memory(bytes: 50 << 20))
/// ```
///
/// Clients share responses only if they share the cache. Responses to different credentials are kept apart. The body is
/// stored while the caller reads it. `response.head.cacheStatus` says how the cache contributed to a response.
public final class HTTPCache: ResponseCache, EndsWithCall {
    /// The rules.
    public let rules: Rules

    let store: any CacheStore
    let order = Locked(ExchangeOrder())
    /// The names of the responses that are revalidated in the background.
    let revalidated = Locked<Set<String>>([])
    private let partition: String
    private let loadedNames = Locked<EntryNames?>(nil)

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - store: Where the responses are kept.
    ///   - rules: The rules. Default: a private cache.
    ///   - partition: A name that keeps responses apart from those of other caches over the same store. Needed if their
    ///     transports get different responses, for example because of client certificates, proxies or Unix sockets.
    ///     Default: the empty name.
    public init(_ store: some CacheStore, rules: Rules = Rules(), partition: String = "") {
        (self.store, self.rules, self.partition) = (store, rules, partition)
    }

    /// Responds with a stored response if the rules allow it, or sends the request on and stores the response.
    @concurrent
    public func response(
        to request: PreparedRequest,
        context: CallContext,
        next: @escaping Middleware.Next
    ) async throws -> Response<ResponseBody> {
        var exchange = await CachedExchange(self, request, context, next: next)
        return try await exchange.run()
    }

    /// Returns a stale response that may replace a failure (RFC 9111 §4.2.4, RFC 5861 §4).
    @concurrent
    public func response(
        to request: PreparedRequest,
        after failure: RetryPolicy.Outcome,
        context: CallContext
    ) async -> Response<ResponseBody>? {
        guard failure.isReplaceable else { return nil }
        let exchange = await CachedExchange(self, request, context) { _ in throw CancellationError() }
        return await exchange.lastResort(after: failure)
    }

    /// Returns the names of entries. Their key is read from the store once.
    func names() async throws -> EntryNames {
        if let names = loadedNames.withLock({ $0 }) { return names }
        let names = EntryNames(key: Array(try await store.key()), partition: partition)
        loadedNames.withLock { $0 = names }
        return names
    }
}

// MARK: The stored responses

extension HTTPCache {
    /// The size of all stored responses in bytes.
    public var size: Int64 { get async throws { try await store.size } }

    /// Returns the stored responses whose URLs start with a prefix.
    ///
    /// - Parameter prefix: The start of the URLs, as in `https://api.example.com/users`. Default: all URLs.
    public func responses(startingWith prefix: String = "") async throws -> [StoredResponse] {
        var responses: [StoredResponse] = []
        for name in try await store.names(startingWith: "") {
            if let new = try await store.entry(name)?.response, new.starts(with: prefix) { responses.append(new) }
        }
        return responses
    }

    /// Removes the stored responses whose URLs start with a prefix.
    ///
    /// - Parameter prefix: The start of the URLs, as in `https://api.example.com/users`. Default: all URLs.
    /// - Throws: `ClientError.Code.notRemoved` if some can't be removed. All others are removed nevertheless.
    public func removeResponses(startingWith prefix: String = "") async throws {
        try await remove(startingWith: "") { [store] name in
            if prefix.isEmpty { return true }
            return try await store.entry(name)?.response.starts(with: prefix) ?? false
        }
    }

    /// Removes the stored responses of a request's URL, of all users.
    ///
    /// - Throws: The errors of ``removeResponses(startingWith:)``, and those of building the request.
    public func removeResponses(for request: some PreparableRequest) async throws {
        let url = try request.unauthenticated(defaults: .empty).url
        try await remove(startingWith: try await names().prefix(for: url))
    }

    /// Removes the stored responses of a user, for example at the end of a session. Do that before another token is
    /// set, which changes the identity of a `TokenStore`.
    ///
    /// - Parameter provider: The user's authentication, also if it is a combination. Nothing is stored for one without
    ///   an identity, and responses to requests without authentication belong to no user.
    /// - Throws: The errors of ``removeResponses(startingWith:)``.
    public func removeResponses(of provider: AuthenticationProvider) async throws {
        guard let identity = provider.identity, !identity.isEmpty else { return }
        let names = try await names()
        try await remove(startingWith: "") { names.isName($0, of: identity) }
    }

    private func remove(
        startingWith prefix: String,
        where isRemoved: (String) async throws -> Bool = { _ in true }
    ) async throws {
        // First, so that nothing that is being received is stored in the meantime.
        order.withLock { $0.outdate("", before: $0.next()) }
        let names = try await store.names(startingWith: prefix)
        var errors: [any Error] = []
        for name in names {
            do {
                if try await isRemoved(name) { try await store.update(name, to: nil) }
            } catch {
                errors.append(error)
            }
        }
        guard let error = errors.first else { return }
        let count = "\(errors.count) of \(names.count)"
        let message = "\(count) stored responses weren't removed: \(HTTPCache.reason(of: error))"
        throw ClientError(code: .notRemoved, message: message)
    }
}

extension HTTPCache.StoredResponse {
    /// Whether the URL starts with a text. An origin doesn't start another origin.
    fileprivate func starts(with prefix: String) -> Bool {
        let isOrigin = !prefix.isEmpty && prefix.originLength == prefix.utf8.count
        return url.hasPrefix(isOrigin ? "\(prefix)/" : prefix)
    }
}

extension ClientError.Code {
    /// The request must be answered from the cache, which has no response.
    public static let notCached = ClientError.Code(rawValue: "notCached")

    /// Stored responses couldn't be removed.
    public static let notRemoved = ClientError.Code(rawValue: "notRemoved")
}

extension HTTPCache {
    /// The description of an error of a store, without secrets.
    static func reason(of error: any Error) -> String { error.systemMessage ?? Redaction.reason(error) }
}
