#if FullFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The properties of a request that can have Foundation's types instead of this library's.
public protocol FoundationProperties {
    /// The same as ``RequestConvertible/cachePolicy``, in Foundation's type. Default: `useProtocolCachePolicy`.
    var cachePolicy: URLRequest.CachePolicy { get }
}

extension FoundationProperties {
    /// `useProtocolCachePolicy`.
    public var cachePolicy: URLRequest.CachePolicy { .useProtocolCachePolicy }
}

extension RequestConvertible {
    /// The policy that the type declares, in either type.
    var declaredCachePolicy: CachePolicy {
        let (own, other): (CachePolicy, URLRequest.CachePolicy) = (cachePolicy, cachePolicy)
        guard own == .useProtocolCachePolicy else { return own }
        return CachePolicy.allCases.first { URLRequest.CachePolicy($0) == other } ?? own
    }
}
#endif
