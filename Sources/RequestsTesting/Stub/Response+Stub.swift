import Requests
import RequestsClient

extension Response where Content == ResponseBody {
    /// Creates a response to a request, for closures of stubs.
    ///
    /// - Parameters:
    ///   - statusCode: The status code.
    ///   - header: The header. Default: empty.
    ///   - body: The body. Default: empty.
    ///   - request: The request.
    public static func stub(
        _ statusCode: Int,
        header: Header = .empty,
        body: Data = Data(),
        for request: PreparedRequest
    ) throws -> Response {
        try Response(status: statusCode, header: header, body: body, for: request)
    }

    /// Creates a response to a request, with JSON text as its body.
    public static func stub(_ statusCode: Int, jsonText: String, for request: PreparedRequest) throws -> Response {
        try stub(statusCode, header: [.contentType(.json)], body: Data(jsonText.utf8), for: request)
    }

    /// Creates a response to a request, with a value as JSON.
    public static func stub(
        _ statusCode: Int,
        json value: some Encodable,
        coders: JSONCoders = .standard,
        for request: PreparedRequest
    ) throws -> Response {
        let body = try coders.encoder.encode(value)
        return try stub(statusCode, header: [.contentType(.json)], body: body, for: request)
    }
}
