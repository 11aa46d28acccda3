import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// Creates a Foundation request.
    ///
    /// Foundation keeps neither the order of the fields nor repeats: they are joined as in
    /// ``Header/dictionaryValue``. The connect and the total timeout have no place in it.
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
            httpBodyStream = stream
            // Foundation takes a stream for one of unknown length.
            if let length = request.body.length { setValue(String(length), forHTTPHeaderField: "Content-Length") }
        } else if let data = request.body.data {
            httpBody = data
        }
    }
}
