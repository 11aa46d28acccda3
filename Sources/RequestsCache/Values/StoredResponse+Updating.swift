import Requests

extension HTTPCache.StoredResponse {
    /// Whether a 304 is about this response.
    ///
    /// A validator must be the same. Without one, the response is about the one that the request named (RFC 9111
    /// §4.3.4).
    func isConfirmed(by new: Self) -> Bool {
        if let tag = new.entityTag {
            guard let own = entityTag else { return false }
            // A weak tag is enough, because the server compared it (RFC 9110 §13.1.2).
            return HTTPCache.opaqueTag(tag) == HTTPCache.opaqueTag(own)
        }
        guard entityTag == nil, new.header.contains(.lastModified) else { return true }
        return new.modified != nil && new.modified == modified
    }

    /// Whether an update is about this response, and not about one that another request has replaced since.
    func isSame(as update: Self) -> Bool {
        length == update.length && firstByte == update.firstByte && responseTime <= update.requestTime
            && (entityTag == nil || entityTag == update.entityTag)
    }

    /// Whether the head of a response to `HEAD` has another validator or length (RFC 9111 §4.3.5).
    func isContradicted(by new: Self) -> Bool {
        [Field.Name.eTag, .lastModified, .contentLength].contains { name in
            new.header.contains(name) && new.header.single(name) != header.single(name)
        }
    }

    /// Returns the response with the fields of a newer one, except the ones that describe the stored body (RFC 9111
    /// §3.2).
    func updated(by new: Self) -> Self {
        var copy = self
        // The body keeps its tag, which can be weaker or stronger than the one that confirms it.
        let isSameTag = entityTag.map(HTTPCache.opaqueTag) == new.entityTag.map(HTTPCache.opaqueTag)
        let describing: Set<Field.Name> = [.contentLength, .contentEncoding, .contentRange]
        let fields = new.header.removing(describing.union(isSameTag ? [.eTag] : []))
        (copy.requestTime, copy.responseTime, copy.date) = (new.requestTime, new.responseTime, new.date)
        // The old age isn't the confirmed one's.
        copy.header = Header(Array(header.removing(Set(fields.map(\.name)).union([.age]))) + Array(fields))
        return copy
    }

    /// Whether a part has the same strong validator, so that its bytes can follow the stored ones (RFC 9111 §3.4).
    ///
    /// A part that was requested with a date in `If-Range` need not repeat it (RFC 9110 §15.3.7).
    func isSameVersion(as part: Self) -> Bool {
        (statusCode == 200 || isPartial) && strongValidator != nil && part.entityTag == entityTag
            && (!part.header.contains(.lastModified) || part.modified == modified)
    }

    /// Returns the whole response from its stored beginning and the next part. `nil` if they are different versions, or
    /// the part isn't all of the rest (RFC 9111 §3.4).
    func completed(by rest: Self) -> Self? {
        guard isSameVersion(as: rest), rest.isPartial, rest.totalLength == rest.bytes.upperBound else { return nil }
        var whole = rest
        whole.statusCode = 200
        (whole.firstByte, whole.length, whole.totalLength) = (0, rest.bytes.upperBound, nil)
        let replaced = Set(rest.header.map(\.name)).union([.contentLength, .contentRange])
        var header = Header(Array(rest.header.removing([.contentRange])) + Array(header.removing(replaced)))
        header.set(Field(name: .contentLength, value: String(whole.length)))
        whole.header = header
        return whole
    }
}
