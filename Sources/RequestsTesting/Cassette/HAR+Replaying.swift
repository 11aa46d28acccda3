import Requests
import RequestsClient

extension HAR.Response {
    /// Returns the recorded response to a request.
    func replayed(to request: PreparedRequest) throws -> Response<ResponseBody> {
        // Skips the pseudo-headers of HTTP/2, which browsers also record.
        var header = Header(recorded: headers)
        // Browsers record decoded bodies with the header of the encoded ones. Removes those fields as a transport does.
        if content.isContentEncoded != true, header.remove(.contentEncoding) != nil { header.remove(.contentLength) }
        let head = try ResponseHead(
            statusCode: status,
            header: header,
            url: request.url,
            httpVersion: HTTPVersion(recorded: httpVersion)
        )
        // A response to HEAD and a 304 have no body even if they have a Content-Length.
        guard let data = head.expectedBytes(to: request.method) == 0 ? Data() : content.data else {
            throw TransportError.unmatched(
                "the archive has no response body for \(request); record it again"
            )
        }
        return Response(head: head, content: ResponseBody(data))
    }
}

extension HAR.Entry {
    /// Returns the entry with a redacted request, because a browser's archive contains secrets that sent requests lose.
    func redacting(_ secrets: Cassette.Secrets) -> HAR.Entry {
        var copy = self
        copy.request.redact(secrets)
        return copy
    }
}

extension HAR.Request {
    fileprivate mutating func redact(_ secrets: Cassette.Secrets) {
        url = secrets.redacted(url: url.prefix { $0 != "#" })
        var header = Header(recorded: headers)
        if let old = postData {
            if !old.mimeType.isEmpty { header[.contentType] = old.mimeType }
            let stored = secrets.stored(old.data, header)
            postData = HAR.PostData(stored.data, mimeType: old.mimeType)
            if stored.isDecoded { header.remove(.contentEncoding) }
        }
        headers = secrets.redacted(header, bodySize: nil)
    }
}

extension Header {
    init(recorded pairs: [HAR.Pair]) {
        self.init(
            pairs.filter { !$0.name.hasPrefix(":") }.map { Field(name: Field.Name($0.name), value: $0.value) }
        )
    }
}

extension HTTPVersion {
    /// Parses a version such as `HTTP/1.1` or `HTTP/2`. Returns `nil` for anything else.
    fileprivate init?(recorded text: String) {
        let (name, version) = text.split(at: "/")
        let numbers = version?.split(separator: ".").compactMap { Int($0) } ?? []
        guard ASCII.lowercased(name) == "http", let major = numbers.first else { return nil }
        self.init(major: major, minor: numbers.dropFirst().first ?? 0)
    }
}
