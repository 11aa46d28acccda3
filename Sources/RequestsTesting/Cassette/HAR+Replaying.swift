import Foundation
import Requests

extension HAR.Response {
    /// The recorded response, as an answer from a URL.
    func replayed(from url: RequestURL) throws -> Response<ResponseBody> {
        // Browsers keep the pseudo-fields of HTTP/2, which are no fields.
        var header = Header(
            headers.filter { !$0.name.hasPrefix(":") }.map { Field(name: Field.Name($0.name), value: $0.value) }
        )
        // An archive holds the body decoded: as from a transport, what tells of its coding is not there.
        if header.remove(.contentEncoding) != nil { header.remove(.contentLength) }
        let head = try ResponseHead(
            statusCode: status,
            header: header,
            url: url,
            httpVersion: HTTPVersion(recorded: httpVersion)
        )
        return Response(head: head, content: ResponseBody(content.data))
    }
}

extension HTTPVersion {
    /// `HTTP/1.1` or `HTTP/2`; `nil` for what is neither.
    fileprivate init?(recorded text: String) {
        guard let (name, version) = text.split(at: "/") as? (Substring, Substring), ASCII.lowercased(name) == "http"
        else {
            return nil
        }
        let numbers = version.split(separator: ".").map { Int($0) }
        guard let major = numbers.first ?? nil else { return nil }
        self.init(major: major, minor: numbers.dropFirst().first.flatMap { $0 } ?? 0)
    }
}
