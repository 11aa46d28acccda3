/// What a request asks of the transport beyond the message itself.
///
/// A transport rejects an option that it doesn't support with ``TransportError/Code/unsupported``, before it sends
/// anything. What the client does, such as following redirects, is in ``CallPolicies``.
public struct RequestOptions: Hashable, Sendable {
    /// The time limits. `nil` means the client's limit.
    public var timeouts: Timeouts

    /// How caches may be used. `nil` means `useProtocolCachePolicy`.
    ///
    /// Transports have no cache, so every request is sent. `reloadIgnoringLocalAndRemoteCacheData` adds
    /// `Cache-Control: no-cache`, unless the request has the field (RFC 9111 §5.2.1.4). `returnCacheDataDontLoad` is
    /// rejected.
    public var cachePolicy: CachePolicy?

    /// The purpose of the traffic, which decides how the system treats it. `nil` means `default`.
    ///
    /// libcurl has no service types and rejects any other value.
    public var networkServiceType: NetworkServiceType?

    /// Whether the request may use a cellular network. `nil` means `true`.
    ///
    /// libcurl doesn't know the kind of a network and rejects `false`.
    public var allowsCellularAccess: Bool?

    /// Creates options.
    public init(timeouts: Timeouts = Timeouts(), cachePolicy: CachePolicy? = nil) {
        self.timeouts = timeouts
        self.cachePolicy = cachePolicy
    }
}
