/// How cached responses may be used, with the cases of Foundation's `URLRequest.CachePolicy`.
public enum CachePolicy: CaseIterable, Hashable, Sendable {
    /// As the protocol and the response say.
    case useProtocolCachePolicy
    /// Ignores the local cache.
    case reloadIgnoringLocalCacheData
    /// Uses a cached response of any age, or else sends the request.
    case returnCacheDataElseLoad
    /// Uses a cached response of any age, and never sends the request.
    case returnCacheDataDontLoad
    /// Ignores the local cache, and asks the caches on the way to do the same.
    case reloadIgnoringLocalAndRemoteCacheData
    /// Uses a cached response if the server confirms that it is current.
    case reloadRevalidatingCacheData
}

extension CallOptions {
    /// Whether the response must come from a cache, which no transport supports.
    package var requiresCache: Bool { cachePolicy == .returnCacheDataDontLoad }

    /// Sets the idle timeout and the cache policy if they are unset and the values aren't Foundation's defaults.
    mutating func fill(idle: TimeInterval, cachePolicy: CachePolicy) {
        if timeouts.idle == nil, idle != Timeouts.defaultIdleInterval { timeouts.idle = Timeouts.duration(idle) }
        if self.cachePolicy == nil, cachePolicy != .useProtocolCachePolicy { self.cachePolicy = cachePolicy }
    }
}

extension Header {
    /// Adds `Cache-Control: no-cache` if the policy bypasses remote caches and the field isn't set (RFC 9111
    /// §5.2.1.4).
    mutating func fill(for policy: CachePolicy?) {
        guard policy == .reloadIgnoringLocalAndRemoteCacheData, !contains(.cacheControl) else { return }
        set(.cacheControl(.noCache))
    }
}
