import Requests

/// The requests that a cache sends for a stored response.
extension HTTPCache.Rules {
    /// Returns the request that asks whether a stored response is current.
    ///
    /// Keeps the caller's own conditions, which apply to the response that the caller has (RFC 9111 §4.3.1).
    func revalidation(of response: HTTPCache.StoredResponse, for request: PreparedRequest) -> PreparedRequest {
        var request = request
        // The server evaluates it for the version that the caller has.
        guard !request.header.contains(.ifRange) else { return request }
        if let tag = response.entityTag {
            let own = request.header[.ifNoneMatch]
            let isListed = own.map { $0 == "*" || HTTPCache.entityTags(in: $0).contains { $0 == tag } } ?? false
            if !isListed { request.header.set(Field(name: .ifNoneMatch, value: own.map { "\($0), \(tag)" } ?? tag)) }
        }
        // A server that reads `If-None-Match` ignores the date.
        if let date = response.header[.lastModified],
            response.entityTag != nil || !request.header.contains(.ifNoneMatch)
        {
            request.header.set(Field(name: .ifModifiedSince, value: date))
        }
        return request
    }

    /// Returns the request for the bytes after the stored ones, or for everything if the version has changed (RFC 9110
    /// §13.1.5).
    func completion(of response: HTTPCache.StoredResponse, for request: PreparedRequest) -> PreparedRequest {
        var request = request
        request.header.set(Field(name: .range, value: "bytes=\(response.bytes.upperBound)-"))
        if let tag = response.strongValidator { request.header.set(Field(name: .ifRange, value: tag)) }
        return request
    }
}
