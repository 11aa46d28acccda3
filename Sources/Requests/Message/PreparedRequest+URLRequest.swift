import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension PreparedRequest {
    /// Creates a request of a Foundation one, made by other code.
    ///
    /// Method, URL, fields, body, timeout, cache policy, service type and whether it may go over a cellular network are
    /// kept, and a policy that goes past the caches on the way adds its `Cache-Control`; a body stream is handed over and can be read once. Foundation has forgotten the order of the fields: they
    /// come in the order of their names.
    ///
    /// - Throws: ``InvalidRequestURLError`` for a URL that is missing or cannot be requested, ``RequestError`` for what
    ///   cannot be sent.
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
            let length = header[.contentLength].flatMap { Int64($0) } ?? (stream as? BodyInputStream)?.length
            body = .stream(stream, length: length)
        }
        // A transport writes it, of the body's length.
        header.remove(.contentLength)
        var options = RequestOptions()
        let idle = Timeouts.duration(request.timeoutInterval)
        if idle != Timeouts.defaultIdle { options.timeouts.idle = idle }
        if request.cachePolicy != .useProtocolCachePolicy { options.cachePolicy = request.cachePolicy }
        header.fill(for: options.cachePolicy)
        if request.networkServiceType != .default { options.networkServiceType = request.networkServiceType }
        if !request.allowsCellularAccess { options.allowsCellularAccess = false }
        try self.init(method: method, url: url, header: header, body: body, options: options)
    }
}
