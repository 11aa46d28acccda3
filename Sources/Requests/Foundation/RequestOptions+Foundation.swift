import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The use of cached responses.
public typealias CachePolicy = URLRequest.CachePolicy

extension RequestOptions {
    /// The purpose of network traffic, which decides how the system treats it.
    public typealias NetworkServiceType = URLRequest.NetworkServiceType

    /// Whether the response must come from a cache, which no transport supports.
    package var requiresCache: Bool { cachePolicy == URLRequest.CachePolicy.returnCacheDataDontLoad }

    /// Whether the request depends on the network service type or excludes cellular networks.
    package var needsNetworkServices: Bool {
        networkServiceType ?? .default != URLRequest.NetworkServiceType.default || allowsCellularAccess == false
    }

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

extension RequestConvertible {
    /// `useProtocolCachePolicy`.
    public var cachePolicy: CachePolicy { .useProtocolCachePolicy }
}

extension Request {
    /// The use of cached responses. The same as `options.cachePolicy`.
    public var cachePolicy: CachePolicy {
        get { options.cachePolicy ?? .useProtocolCachePolicy }
        set { options.cachePolicy = newValue }
    }
}
