import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a request asks of a transport beyond the message itself.
///
/// An option that a transport cannot honour is refused with ``TransportError/Code/unsupported``, never dropped.
public struct RequestOptions: Hashable, Sendable {
    /// How long to wait. What is `nil` here is the client's.
    public var timeouts: Timeouts

    /// What a cache may answer; `nil`, the default, means `useProtocolCachePolicy`.
    public var cachePolicy: URLRequest.CachePolicy?

    /// Creates options.
    public init(timeouts: Timeouts = Timeouts(), cachePolicy: URLRequest.CachePolicy? = nil) {
        self.timeouts = timeouts
        self.cachePolicy = cachePolicy
    }
}
