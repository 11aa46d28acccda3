import Requests

extension HAR.Request {
    /// The body in a normal form, in which equal bodies have equal bytes.
    var normalizedBody: Data {
        let body = self.body
        // This encoder sorts keys. A plain `JSONEncoder` writes them in a different order in each process.
        if let value = JSONValue(parsing: body), let sorted = try? JSONCoders.standard.encoder.encode(value) {
            return sorted
        }
        let type = postData?.mimeType ?? ""
        if MediaType(type)?.matches(.urlEncodedForm) == true { return Data(HAR.normalized(form: body).utf8) }
        guard type.hasPrefix("multipart/"), let boundary = MediaType(type)?.boundary else { return body }
        return body.removing(Data(boundary.utf8))
    }
}

extension HAR {
    /// Returns a URL-encoded form with every item percent-encoded the same way.
    fileprivate static func normalized(form: Data) -> String {
        String(decoding: form, as: UTF8.self).split(separator: "&").map { item in
            item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentEncoding.encoded(PercentEncoding.decodedBytes(String($0.replacing("+", with: " ")))) }
                .joined(separator: "=")
        }
        .joined(separator: "&")
    }
}

extension Data {
    fileprivate func removing(_ pattern: Data) -> Data {
        guard !pattern.isEmpty else { return self }
        var (result, start) = (Data(), startIndex)
        for range in ByteSearch(Array(pattern)).matches(in: self) {
            result.append(self[start..<range.lowerBound])
            start = range.upperBound
        }
        return result + self[start...]
    }
}
