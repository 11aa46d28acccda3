import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a request asks of a transport and of a client beyond the message itself.
///
/// An option that a transport cannot honour is refused with ``TransportError/Code/unsupported``, never dropped.
public struct RequestOptions: Hashable, Sendable {
    /// How long to wait. What is `nil` here is the client's.
    public var timeouts: Timeouts

    /// What a cache may answer; `nil`, the default, means `useProtocolCachePolicy`.
    ///
    /// Transports keep no cache of their own, so that each request is sent. `reloadIgnoringLocalAndRemoteCacheData` is
    /// for caches on the way: a request that is built with it has a `Cache-Control: no-cache`, or its own
    /// (RFC 9111 §5.2.1.4). `returnCacheDataDontLoad` is refused.
    public var cachePolicy: URLRequest.CachePolicy?

    /// Apart, because few requests have any of them and every copy of a request copies its options.
    private var policies: Policies?

    /// Creates options.
    public init(timeouts: Timeouts = Timeouts(), cachePolicy: URLRequest.CachePolicy? = nil) {
        self.timeouts = timeouts
        self.cachePolicy = cachePolicy
    }

    /// Whether a client's middleware sees a request.
    public enum Interception: Hashable, Sendable {
        /// It does.
        case on
        /// It does not: the request goes past it.
        case off
    }

    /// Whether a client's middleware sees the request; by default it does.
    public var interception: Interception {
        get { policies?.values.interception ?? .on }
        set { changePolicies { $0.interception = newValue } }
    }

    /// Which redirects are followed; `nil`, the default, for those that the client follows.
    public var redirects: RedirectPolicy? {
        get { policies?.values.redirects }
        set { changePolicies { $0.redirects = newValue } }
    }

    /// When the request is sent again; `nil`, the default, for when the client does so.
    public var retries: RetryPolicy? {
        get { policies?.values.retries }
        set { changePolicies { $0.retries = newValue } }
    }

    /// The fields, in any case, whose values logs show although they are sensitive; none by default.
    public var unredactedNames: Set<Field.Name> {
        get { policies?.values.unredactedNames ?? [] }
        set { changePolicies { $0.unredactedNames = newValue } }
    }

    /// The names of query items, beyond those that always count, whose values descriptions and logs hide; none by
    /// default.
    public var sensitiveQueryNames: Set<String> {
        get { policies?.values.sensitiveQueryNames ?? [] }
        set { changePolicies { $0.sensitiveQueryNames = newValue } }
    }

    /// What the traffic is for, which decides how the system treats it; `nil`, the default, means `default`.
    ///
    /// Transports without such a thing, libcurl among them, refuse any other.
    public var networkServiceType: URLRequest.NetworkServiceType? {
        get { policies?.values.networkServiceType }
        set { changePolicies { $0.networkServiceType = newValue } }
    }

    /// Whether the request may go over a cellular network; `nil`, the default, means `true`.
    ///
    /// Transports that cannot tell, libcurl among them, refuse `false`.
    public var allowsCellularAccess: Bool? {
        get { policies?.values.allowsCellularAccess }
        set { changePolicies { $0.allowsCellularAccess = newValue } }
    }

    private mutating func changePolicies(_ change: (inout Policies.Values) -> Void) {
        var values = policies?.values ?? Policies.Values()
        change(&values)
        policies = values == Policies.Values() ? nil : Policies(values)
    }

    private final class Policies: Hashable, Sendable {
        struct Values: Hashable, Sendable {
            var interception = Interception.on
            var redirects: RedirectPolicy?
            var retries: RetryPolicy?
            var unredactedNames: Set<Field.Name> = []
            var sensitiveQueryNames: Set<String> = []
            var networkServiceType: URLRequest.NetworkServiceType?
            var allowsCellularAccess: Bool?
        }

        let values: Values

        init(_ values: Values) {
            self.values = values
        }

        static func == (lhs: Policies, rhs: Policies) -> Bool { lhs.values == rhs.values }

        func hash(into hasher: inout Hasher) { hasher.combine(values) }
    }
}

extension Header {
    /// Says to the caches on the way what a policy means for them, unless it is said already.
    mutating func fill(for policy: URLRequest.CachePolicy?) {
        guard policy == .reloadIgnoringLocalAndRemoteCacheData, !contains(.cacheControl) else { return }
        set(.cacheControl(.noCache))
    }
}
