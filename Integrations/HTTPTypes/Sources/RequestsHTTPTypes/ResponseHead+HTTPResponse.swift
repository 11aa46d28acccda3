import HTTPTypes
import Requests

extension ResponseHead {
    /// Returns the head as an `HTTPResponse`, which doesn't contain the URL and the HTTP version.
    ///
    /// The order of fields and repeated names are kept, and sensitive fields get the indexing strategy `disallow`.
    ///
    /// - Throws: `RequestError` if a field can't be represented, because `HTTPField` would replace control characters
    ///   with spaces.
    public func httpResponse() throws(RequestError) -> HTTPResponse {
        HTTPResponse(status: HTTPResponse.Status(code: statusCode), headerFields: try header.httpFields())
    }

    /// Creates a head from an `HTTPResponse`.
    ///
    /// The order of fields and repeated names are kept. A value that isn't UTF-8 is decoded as Latin-1, as transports
    /// do.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - url: The URL of the request.
    ///   - httpVersion: The HTTP version. Default: `nil`, unknown.
    /// - Throws: `RequestError.Code.invalidStatusCode` if the status code is less than 100.
    public init(_ response: HTTPResponse, url: RequestURL, httpVersion: HTTPVersion? = nil) throws(RequestError) {
        try self.init(
            statusCode: response.status.code,
            header: Header(response: response.headerFields),
            url: url,
            httpVersion: httpVersion
        )
    }
}
