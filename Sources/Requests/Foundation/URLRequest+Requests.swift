#if FullFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// Creates a Foundation request.
    ///
    /// Foundation loses the order of header fields and joins repeated ones, as in ``Header/dictionaryValue``. The
    /// connect and total timeouts are lost. A body that isn't in memory becomes a stream. Its length is in
    /// `Content-Length` only on Apple platforms: `URLSession` on Linux sends streams in chunks, which contradict the
    /// field.
    ///
    /// - Throws: ``RequestError/Code/notAFoundationURL``, or ``RequestError/Code/unsupportedBody`` for a sequence of
    ///   chunks.
    public init(_ request: PreparedRequest) throws {
        self.init(
            url: try request.url.url,
            cachePolicy: CachePolicy(request.options.cachePolicy ?? .useProtocolCachePolicy),
            timeoutInterval: Timeouts.interval(ofIdle: request.options.timeouts.idle)
        )
        // Linux lacks some types, and its transport rejects every type but the default.
        if let type = request.options.networkServiceType {
            networkServiceType = NetworkServiceType(rawValue: type.rawValue) ?? .default
        }
        if let isAllowed = request.options.allowsCellularAccess { allowsCellularAccess = isAllowed }
        if request.method != .get { httpMethod = request.method.rawValue }
        allHTTPHeaderFields = request.header.dictionaryValue
        try request.body.checkFoundationSupport()
        if let stream = request.body.makeInputStream() {
            setBody(stream, length: request.body.length)
        } else if let data = request.body.data {
            httpBody = data
        }
    }
}

extension URLRequest.CachePolicy {
    /// Creates Foundation's value for a policy.
    public init(_ policy: CachePolicy) {
        self =
            switch policy {
            case .useProtocolCachePolicy: .useProtocolCachePolicy
            case .reloadIgnoringLocalCacheData: .reloadIgnoringLocalCacheData
            case .returnCacheDataElseLoad: .returnCacheDataElseLoad
            case .returnCacheDataDontLoad: .returnCacheDataDontLoad
            case .reloadIgnoringLocalAndRemoteCacheData: .reloadIgnoringLocalAndRemoteCacheData
            case .reloadRevalidatingCacheData: .reloadRevalidatingCacheData
            }
    }
}

extension PreparableRequest {
    /// Builds the request as a Foundation value, for other code to send.
    ///
    /// - Throws: The same errors as ``prepared()``.
    public func toURLRequest() throws -> URLRequest { try URLRequest(prepared()) }
}
#endif
