import Requests
import RequestsClient

extension HAR.Response {
    /// Returns the recorded response to a request.
    func replayed(to request: PreparedRequest) throws -> Response<ResponseBody> {
        // Skips the pseudo-headers of HTTP/2, which browsers also record.
        var header = Header(recorded: headers)
        // Browsers record decoded bodies with the header of the encoded ones. Removes those fields as a transport does.
        if content.isContentEncoded != true, header.remove(.contentEncoding) != nil { header.remove(.contentLength) }
        if content.text != nil, content.encoding != HAR.base64, let type = header[.contentType],
            HAR.decoded(type) != type
        {
            header[.contentType] = HAR.decoded(type)
            header.remove(.contentLength)
        }
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
            let type = old.encoding == HAR.base64 ? old.mimeType : HAR.decoded(old.mimeType)
            var described = header
            if !type.isEmpty { described[.contentType] = type }
            let stored = secrets.stored(old.data, described)
            postData = HAR.PostData(stored.data, mimeType: old.mimeType)
            if stored.isDecoded { header.remove(.contentEncoding) }
        }
        headers = secrets.redacted(header, bodySize: nil)
    }
}

extension Header {
    init(recorded pairs: [HAR.Pair]) {
        // Some programs join the values of repeated fields by line breaks.
        let fields = pairs.filter { !$0.name.hasPrefix(":") }.flatMap { pair in
            pair.value.utf8.split(omittingEmptySubsequences: false) { "\r\n".utf8.contains($0) }
                .map { Substring($0).trimmingFieldWhitespace() }.enumerated()
                .filter { $0.offset == 0 || !$0.element.isEmpty }
                .map { Field(name: Field.Name(pair.name), value: $0.element) }
        }
        self.init(fields)
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
