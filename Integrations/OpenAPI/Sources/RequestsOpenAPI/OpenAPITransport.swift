import Foundation
import HTTPTypes
import OpenAPIRuntime
import RequestsClient
import RequestsHTTPTypes

/// A transport for generated OpenAPI clients that sends operations over a client of this library.
///
/// ```swift
/// let pets = PetStore.Client(serverURL: url, transport: OpenAPITransport(over: client))
/// ```
///
/// The client's header, authentication, redirects, retries, cookies, cache and logs apply. Its
/// `Client.Configuration.validation` doesn't, because the generated code handles every status. The operation's
/// identifier becomes `CallOptions.operation`, which logs, metrics and the routes of stubs use.
///
/// Bodies stream in both directions. A request body that can be iterated only once can't be resent, so the request
/// isn't retried, and a redirect that needs the body fails.
public struct OpenAPITransport: ClientTransport {
    private let client: RequestsClient.Client

    /// Creates a transport.
    ///
    /// - Parameter client: The client that sends the operations.
    public init(over client: RequestsClient.Client) {
        self.client = client
    }

    /// Sends an operation's request.
    ///
    /// - Returns: The response with any status. Its body can be iterated once, and is `nil` for a `HEAD` request and
    ///   for the statuses 204 and 304. Releasing it unread frees the connection.
    /// - Throws: `RequestError` if the request can't be sent unchanged, and the errors of `Client.stream(_:)`. The
    ///   generated code wraps them in the `underlyingError` of a `ClientError`.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        baseURL: URL,
        operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?) {
        var options = CallOptions()
        options.operation = operationID
        let prepared = try PreparedRequest(
            request.relative(to: RequestURL(baseURL.absoluteString)),
            body: body.map(RequestBody.init(_:)) ?? .none,
            options: options
        )
        let response = try await client.stream(prepared)
        let hasBody = request.method != .head && ![204, 304].contains(response.statusCode)
        return (try response.head.httpResponse(), hasBody ? HTTPBody(response) : nil)
    }
}

extension HTTPRequest {
    /// Returns the request with the scheme, the authority and the path prefix of a server.
    ///
    /// The paths are joined by one slash. The query of the server's URL is ignored.
    fileprivate func relative(to server: RequestURL) -> HTTPRequest {
        var request = self
        request.scheme = server.scheme
        request.authority = server.authority
        var path = server.target.prefix { $0 != "?" }
        let ownPath = request.path ?? ""
        if path.last == "/", ownPath.isEmpty || ownPath.first == "/" { path.removeLast() }
        request.path = path + (path.isEmpty && ownPath.first != "/" ? "/" : "") + ownPath
        return request
    }
}

extension RequestBody {
    /// Creates a body that requests the next chunk when the last one was sent.
    fileprivate init(_ body: HTTPBody) {
        let length: Int64? = if case .known(let length) = body.length { length } else { nil }
        self = .chunks(body, length: length, isReplayable: body.iterationBehavior == .multiple)
    }
}

extension HTTPBody {
    /// Creates a body that reads the response while it is iterated.
    fileprivate convenience init(_ response: Response<ResponseBody>) {
        // `Content-Length` is the encoded size, so the length of a decoded body is unknown.
        let length = response.header[.contentEncoding] == nil ? response.head.contentLength : nil
        self.init(
            response.content,
            length: length.map { .known(Int64($0)) } ?? .unknown,
            iterationBehavior: .single
        )
    }
}
