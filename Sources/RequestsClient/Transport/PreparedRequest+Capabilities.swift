import Requests

extension PreparedRequest {
    /// Checks that the request is valid and that a transport with these capabilities supports it.
    ///
    /// Also rejects what no transport supports: the method `CONNECT`, a body with `HEAD`, a response from the cache
    /// only, a header field of more than 300,000 bytes, and a header of more than 1,000,000 bytes.
    ///
    /// - Throws: `RequestError` as `validate()` does, or `TransportError.Code.unsupported`, naming the option.
    public func validate(for capabilities: TransportCapabilities) throws {
        try validate()
        if method == .connect {
            throw TransportError.unsupported("the method CONNECT isn't supported")
        }
        if method == .head, !body.isNone {
            throw TransportError.unsupported("the method HEAD doesn't allow a body; remove it")
        }
        try checkHeaderSize()
        if options.requiresCache {
            throw TransportError.unsupported(
                "transports have no cache, so returnCacheDataDontLoad isn't supported; use another cachePolicy"
            )
        }
        if options.timeouts.connect != nil, !capabilities.contains(.connectTimeout) {
            throw TransportError.unsupported(
                "this transport doesn't support the connect timeout; use the idle or the total timeout"
            )
        }
        if !capabilities.contains(.streamedRequestBodies), !body.isNone, body.data == nil {
            throw TransportError.unsupported(
                "this transport only sends bodies in memory; use Data instead of files and streams, or another transport"
            )
        }
        if !capabilities.contains(.requestTrailers), body.trailers != nil {
            throw TransportError.unsupported(
                "this transport doesn't support request trailers; send the fields in the header, or use another one"
            )
        }
        if !capabilities.contains(.networkServices), options.needsNetworkServices {
            throw TransportError.unsupported(
                "this transport doesn't support networkServiceType and allowsCellularAccess; leave both options nil"
            )
        }
    }
}

extension PreparedRequest {
    private static let maximumField = 300_000
    private static let maximumHeader = 1_000_000

    /// libcurl 8.14 to 8.21 leaves out a field of more than 307,200 bytes, and every version limits the whole header.
    private func checkHeaderSize() throws(TransportError) {
        var total = 0
        for field in header {
            let size = field.name.rawValue.utf8.count + field.value.utf8.count
            guard size <= PreparedRequest.maximumField else {
                throw .unsupported("the header field \(field.name) has \(size) bytes; send large values in the body")
            }
            total += size
        }
        guard total <= PreparedRequest.maximumHeader else {
            throw .unsupported("the header has \(total) bytes; send large values in the body")
        }
    }
}
