import Requests

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPCache.StoredResponse {
    /// Whether a 304 is about this response.
    ///
    /// A strong validator must be the same. Without a validator, the response is about the one that the request named
    /// (RFC 9111 §4.3.4).
    func isConfirmed(by head: ResponseHead) -> Bool {
        if let tag = head.header[.eTag] {
            guard let own = entityTag else { return false }
            // A weak tag is enough, because the server compared it (RFC 9110 §13.1.2).
            return HTTPCache.opaqueTag(tag) == HTTPCache.opaqueTag(own)
        }
        guard entityTag == nil, let date = head.header[.lastModified] else { return true }
        return date == header[.lastModified]
    }

    /// Whether an update is about this response, and not about one that another request has replaced since.
    func isSame(as update: Self) -> Bool {
        length == update.length && firstByte == update.firstByte && responseTime <= update.requestTime
            && (entityTag == nil || entityTag == update.entityTag)
    }

    /// Whether the head of a response to `HEAD` has another validator or length (RFC 9111 §4.3.5).
    func isContradicted(by head: ResponseHead) -> Bool {
        [Field.Name.eTag, .lastModified, .contentLength].contains { name in
            head.header[name].map { $0 != header[name] } ?? false
        }
    }

    /// Returns the response with the fields of a newer one, except the ones that describe the stored body (RFC 9111
    /// §3.2).
    func updated(by head: ResponseHead, requestTime: Date, responseTime: Date) -> Self {
        var copy = self
        let fields = head.header.storable.removing(Header.describingBody)
        // The old age and date aren't the confirmed one's.
        copy.header = Header(Array(header.removing(Set(fields.map(\.name)).union([.age, .date]))) + Array(fields))
        copy.requestTime = requestTime
        copy.responseTime = responseTime
        return copy
    }

    /// Returns the response with the following bytes of a newer partial one, and which stored bytes it keeps.
    ///
    /// - Returns: `nil` if the parts can't be combined, because they are different versions or leave a gap (RFC 9111
    ///   §3.4).
    func combined(with new: Self) -> (response: Self, kept: Range<Int64>)? {
        guard isPartial, new.isPartial, let validator = strongValidator, validator == new.strongValidator,
            !isDecoded, !new.isDecoded, bytes.contains(new.firstByte) || new.firstByte == bytes.upperBound,
            new.bytes.upperBound > bytes.upperBound
        else { return nil }
        var response = new
        let replaced = Set(new.header.map(\.name)).union(Header.describingBody)
        response.header = Header(Array(new.header) + Array(header.removing(replaced)))
        response.firstByte = firstByte
        response.length = new.bytes.upperBound - firstByte
        response.totalLength = new.totalLength ?? totalLength
        return (response.completed, 0..<(new.firstByte - firstByte))
    }

    /// The response with status 200 if all parts are stored.
    var completed: Self {
        guard isPartial, firstByte == 0, let totalLength, totalLength == length else { return self }
        var copy = self
        copy.statusCode = 200
        copy.totalLength = nil
        copy.header.remove(.contentRange)
        copy.header.set(Field(name: .contentLength, value: String(length)))
        return copy
    }
}

extension Header {
    /// The fields that describe the stored body.
    static let describingBody: Set<Field.Name> = [.contentLength, .contentEncoding, .contentRange]

    func removing(_ names: Set<Field.Name>) -> Header { Header(filter { !names.contains($0.name) }) }
}
