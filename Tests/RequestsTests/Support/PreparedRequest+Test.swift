@testable import Requests

extension PreparedRequest {
    /// A request to `https://a.example/`.
    static func test(
        _ method: HTTPMethod = .get,
        _ header: Header = [],
        body: RequestBody = .none,
        to url: String = "https://a.example/"
    ) throws -> PreparedRequest {
        try PreparedRequest(method: method, url: RequestURL(url), header: header, body: body)
    }
}
