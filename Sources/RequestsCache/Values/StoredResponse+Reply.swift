import Requests

extension HTTPCache.StoredResponse {
    /// Returns the head and the bytes that answer a request.
    ///
    /// - Parameters:
    ///   - request: The request. Its own conditions and its range are evaluated (RFC 9111 §4.3.2, RFC 9110 §13.2.2).
    ///   - status: The cache's part in the response.
    /// - Returns: The head, and the positions of the bytes in the stored body. Without bytes if there is no body.
    func reply(
        to request: PreparedRequest,
        _ status: CacheStatus
    ) throws(RequestError) -> (head: ResponseHead, bytes: Range<Int64>) {
        var code = statusCode
        var header = header
        var positions = 0..<(bytes.upperBound - bytes.lowerBound)
        if status.isFromStore {
            // The named fields would need a validation (RFC 9111 §5.2.2.4).
            if let names = control.fields("no-cache") { header = header.removing(Set(names)) }
            header[.age] = String(status.age ?? 0)
        }
        if meetsCondition(of: request) {
            (code, positions) = (304, 0..<0)
            header = header.removing([.contentLength, .contentRange])
        } else if let range = requestedBytes(by: request), !range.isEmpty {
            code = 206
            let total = wholeLength.map(String.init) ?? "*"
            header[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
            header[.contentLength] = String(range.upperBound - range.lowerBound)
            positions = (range.lowerBound - bytes.lowerBound)..<(range.upperBound - bytes.lowerBound)
        }
        if request.method == .head { positions = 0..<0 }
        var head = try ResponseHead(statusCode: code, header: header, url: request.url)
        head.cacheStatus = status
        return (head, positions)
    }

    /// Whether the stored bytes contain what the request asks for.
    func canAnswer(_ request: PreparedRequest) -> Bool {
        guard Range.requested(by: request.header, in: wholeLength) != nil else { return false }
        guard let range = requestedBytes(by: request) else { return !isPartial }
        // Every range contains an empty one, such as the one of a part of which nothing has arrived.
        return !isDecoded && !range.isEmpty && bytes.contains(range)
    }

    /// Whether the request asks for the whole body, of which the beginning is stored (RFC 9111 §3.4).
    func canBeCompleted(for request: PreparedRequest) -> Bool {
        isPartial && firstByte == 0 && length > 0 && strongValidator != nil && !isDecoded
            && request.method == .get && !request.header.contains(.range) && !request.hasOwnCondition
    }

    /// The positions that the request asks for, of which the server chose the ones of a part. Empty if they aren't in
    /// the body. `nil` for everything, also if there are several ranges (RFC 9110 §14.2).
    private func requestedBytes(by request: PreparedRequest) -> Range<Int64>? {
        guard statusCode == 200 || isPartial, request.method == .get, satisfiesIfRange(of: request.header),
            let ranges = Range.requested(by: request.header, in: wholeLength), ranges.count == 1
        else { return nil }
        return isPartial && range == request.header[.range] ? bytes : ranges[0]
    }

    /// Whether the caller has the stored response already.
    private func meetsCondition(of request: PreparedRequest) -> Bool {
        guard statusCode == 200 || isPartial else { return false }
        if let tags = request.header[.ifNoneMatch] {
            guard let own = entityTag.map(HTTPCache.opaqueTag) else { return tags == "*" }
            return tags == "*" || tags.listElements(hasEscapes: false).contains { HTTPCache.opaqueTag($0) == own }
        }
        guard let text = request.header[.ifModifiedSince],
            let date = HTTPDate.parseStrictly(text, now: responseTime)
        else { return false }
        return lastModified ?? self.date <= date
    }

    /// Whether the range applies: there is no `If-Range`, or it names this version (RFC 9110 §13.1.5).
    func satisfiesIfRange(of header: Header) -> Bool {
        guard let validator = header[.ifRange] else { return true }
        return validator == (validator.hasPrefix("\"") ? strongValidator : strongDate)
    }
}

extension PreparedRequest {
    /// Whether the caller asks for a response only if it has changed.
    var hasOwnCondition: Bool { header.contains(.ifNoneMatch) || header.contains(.ifModifiedSince) }
}

extension HTTPCache {
    /// An entity tag without the mark of a weak one, for a weak comparison (RFC 9110 §8.8.3.2).
    static func opaqueTag(_ tag: String) -> Substring { tag.dropFirst(tag.hasPrefix("W/") ? 2 : 0) }
}
