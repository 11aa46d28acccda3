#if !FullFoundation
/// The properties of a request whose types are Foundation's. None, without the trait `FullFoundation`.
public protocol FoundationProperties {}

extension RequestConvertible {
    var declaredCachePolicy: CachePolicy { cachePolicy }
}
#endif
