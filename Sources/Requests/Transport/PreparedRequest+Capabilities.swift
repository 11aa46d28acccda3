import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension PreparedRequest {
    /// Checks that the request is one, and that a transport with these capabilities can do what it asks for.
    ///
    /// What no transport does is refused too: a tunnel, a body with the method `HEAD`, an answer from a cache alone.
    ///
    /// - Throws: ``RequestError`` as ``validate()`` does, or ``TransportError/Code/unsupported``, naming the option.
    public func validate(for capabilities: TransportCapabilities) throws {
        try validate()
        if method == .connect {
            throw TransportError.unsupported("the method CONNECT makes a tunnel, which is not an exchange")
        }
        if method == .head, !body.isNone {
            throw TransportError.unsupported("a body with the method HEAD is not sent; remove the body")
        }
        if options.cachePolicy == URLRequest.CachePolicy.returnCacheDataDontLoad {
            throw TransportError.unsupported(
                "this transport keeps no cache, so cachePolicy returnCacheDataDontLoad can never be met"
            )
        }
        if options.timeouts.connect != nil, !capabilities.contains(.connectTimeout) {
            throw TransportError.unsupported("this transport has no connect timeout; use the idle or the total one")
        }
        if !capabilities.contains(.streamedRequestBodies), !body.isNone, body.data == nil {
            throw TransportError.unsupported(
                "this transport sends bodies in memory alone; use .raw(data:), or another transport"
            )
        }
        if !capabilities.contains(.networkServices), options.asksForNetworkServices {
            throw TransportError.unsupported(
                "this transport knows neither service types nor cellular networks; leave both options nil"
            )
        }
    }
}

extension RequestOptions {
    fileprivate var asksForNetworkServices: Bool {
        networkServiceType ?? .default != URLRequest.NetworkServiceType.default || allowsCellularAccess == false
    }
}
