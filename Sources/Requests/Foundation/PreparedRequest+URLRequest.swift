#if FullFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension PreparedRequest {
    /// Creates a request from a Foundation one that other code made.
    ///
    /// Keeps the method, URL, header, body, timeout, cache policy, service type, cellular access and cookie handling. A
    /// policy that bypasses remote caches adds a `Cache-Control` field. A body stream can be read once. Header fields
    /// are sorted by name because Foundation has lost their order.
    ///
    /// - Throws: ``RequestError`` if the URL is missing or unsupported, or if the request can't be sent.
    public init(_ request: URLRequest) throws {
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        let url = try RequestURL(request.url?.absoluteString ?? "")
        var header = Header()
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            header.add(Field(name: Field.Name(name), value: value))
        }
        var body = RequestBody.none
        if let data = request.httpBody {
            body = .data(data)
        } else if let stream = request.httpBodyStream {
            let length = header.length.bytes ?? (stream as? BodyInputStream)?.length
            body = .stream(stream, length: length)
        }
        // Transports derive the field from the body's length.
        header.remove(.contentLength)
        var options = CallOptions()
        let idle = Timeouts.duration(request.timeoutInterval)
        if idle != Timeouts.defaultIdle { options.timeouts.idle = idle }
        if request.cachePolicy != .useProtocolCachePolicy {
            options.cachePolicy = CachePolicy.allCases.first { URLRequest.CachePolicy($0) == request.cachePolicy }
        }
        header.fill(for: options.cachePolicy)
        if request.networkServiceType != .default {
            options.networkServiceType = .init(rawValue: request.networkServiceType.rawValue)
        }
        if !request.allowsCellularAccess { options.allowsCellularAccess = false }
        if !request.httpShouldHandleCookies { options.usesCookies = false }
        try self.init(method: method, url: url, header: header, body: body, options: options)
    }
}
#endif
