import Foundation
import Requests
import RequestsClient

extension HAR.Response {
    /// The recorded response, as an answer to a request.
    func replayed(to request: PreparedRequest) throws -> Response<ResponseBody> {
        // Browsers keep the pseudo-fields of HTTP/2, which are no fields.
        var header = Header(recorded: headers)
        // The archive of a browser holds the body decoded: as from a transport, what tells of its coding is not there.
        if content.isCoded != true, header.remove(.contentEncoding) != nil { header.remove(.contentLength) }
        let head = try ResponseHead(
            statusCode: status,
            header: header,
            url: request.url,
            httpVersion: HTTPVersion(recorded: httpVersion)
        )
        // What has no body may have the length of one.
        guard let data = head.expectedBytes(to: request.method) == 0 ? Data() : content.data else {
            throw TransportError.unmatched(
                "the archive does not have the body of the answer to \(request); record it again"
            )
        }
        return Response(head: head, content: ResponseBody(data))
    }
}

extension HAR.Entry {
    /// The entry as its request is compared: an archive of a browser holds what is removed from a request here.
    func removing(_ secrets: Cassette.Secrets) -> HAR.Entry {
        var copy = self
        copy.request.remove(secrets)
        return copy
    }
}

extension HAR.Request {
    fileprivate mutating func remove(_ secrets: Cassette.Secrets) {
        url = secrets.removed(fromURL: url.prefix { $0 != "#" })
        headers = secrets.removed(from: Header(recorded: headers), bodySize: nil)
        postData = postData.map { old in
            HAR.PostData(secrets.removed(fromBody: old.data, old.mimeType), mimeType: old.mimeType)
        }
    }
}

extension Header {
    fileprivate init(recorded pairs: [HAR.Pair]) {
        self.init(
            pairs.filter { !$0.name.hasPrefix(":") }.map { Field(name: Field.Name($0.name), value: $0.value) }
        )
    }
}

extension HTTPVersion {
    /// `HTTP/1.1` or `HTTP/2`; `nil` for what is neither.
    fileprivate init?(recorded text: String) {
        let (name, version) = text.split(at: "/")
        let numbers = version?.split(separator: ".").compactMap { Int($0) } ?? []
        guard ASCII.lowercased(name) == "http", let major = numbers.first else { return nil }
        self.init(major: major, minor: numbers.dropFirst().first ?? 0)
    }
}
