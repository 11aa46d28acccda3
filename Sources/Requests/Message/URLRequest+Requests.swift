import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// Creates a Foundation request.
    ///
    /// Foundation keeps neither the order of the fields nor repeats: they are joined as in
    /// ``Header/dictionaryValue``. The connect and the total timeout have no place in it. A body that is not in memory is a
    /// stream, with its length in `Content-Length` on Apple's platforms alone: on Linux a `URLSession` sends it in chunks,
    /// and would send the field beside them.
    ///
    /// - Throws: ``InvalidRequestURLError`` when Foundation does not read the URL,
    ///   ``RequestError/Code/unsupportedBody`` for a body that has to be waited for.
    public init(_ request: PreparedRequest) throws {
        self.init(
            url: try request.url.url,
            cachePolicy: request.options.cachePolicy ?? .useProtocolCachePolicy,
            timeoutInterval: Timeouts.interval(ofIdle: request.options.timeouts.idle)
        )
        if let type = request.options.networkServiceType { networkServiceType = type }
        if let isAllowed = request.options.allowsCellularAccess { allowsCellularAccess = isAllowed }
        if request.method != .get { httpMethod = request.method.rawValue }
        allHTTPHeaderFields = request.header.dictionaryValue
        try request.body.checkFoundationCarries()
        if let stream = request.body.makeInputStream() {
            setBody(stream, length: request.body.length)
        } else if let data = request.body.data {
            httpBody = data
        }
    }
}
