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
    /// - Throws: ``InvalidRequestURLError`` when Foundation does not read the URL.
    public init(_ request: PreparedRequest) throws {
        self.init(
            url: try request.url.url,
            cachePolicy: request.options.cachePolicy ?? .useProtocolCachePolicy,
            timeoutInterval: (request.options.timeouts.idle ?? Timeouts.defaultIdle) / .seconds(1)
        )
        httpMethod = request.method.rawValue
        allHTTPHeaderFields = request.header.dictionaryValue
        if let stream = request.body.makeInputStream() {
            httpBodyStream = stream
        } else {
            httpBody = request.body.data
        }
    }
}
