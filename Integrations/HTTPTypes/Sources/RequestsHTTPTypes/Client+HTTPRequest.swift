import Foundation
import HTTPTypes
import RequestsClient

extension Client {
    /// Sends an `HTTPRequest` with all policies of the client, and returns the response's body.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The body of the request. Default: none.
    /// - Throws: `RequestError` if the request can't be sent unchanged, and the errors of `send(_:)`.
    public func send(_ request: HTTPRequest, body: RequestBody = .none) async throws -> Data {
        try await send(PreparedRequest(request, body: body))
    }

    /// Sends an `HTTPRequest` with all policies of the client. The signature fits code that takes a closure.
    ///
    /// ```swift
    /// let api = SomeAPI(send: client.data(for:))
    /// ```
    ///
    /// - Returns: The body, and the response with any status that the client's `validation` accepts.
    /// - Throws: `RequestError` if the request or the response can't be converted unchanged, and the errors of
    ///   `send(_:)`.
    public func data(for request: HTTPRequest) async throws -> (Data, HTTPResponse) {
        try await data(for: request, body: .none)
    }

    /// Sends an `HTTPRequest` and a body with all policies of the client.
    ///
    /// - Returns: The body, and the response with any status that the client's `validation` accepts.
    /// - Throws: The same errors as ``data(for:)``.
    public func data(for request: HTTPRequest, body: RequestBody) async throws -> (Data, HTTPResponse) {
        let response = try await response(for: PreparedRequest(request, body: body))
        return (response.content, try response.head.httpResponse())
    }
}
