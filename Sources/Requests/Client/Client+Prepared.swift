import Foundation

extension Client {
    /// Sends a request that is built already, such as one of a `URLRequest`, under all policies of the client.
    ///
    /// ```swift
    /// let response = try await client.response(for: PreparedRequest(urlRequest))
    /// ```
    ///
    /// - Returns: The head, and the body in memory.
    /// - Throws: As ``send(_:)``.
    public func response(for request: PreparedRequest) async throws -> Response<Data> {
        try await response(for: BuiltRequest(prepared: request))
    }
}

/// A request that is built to what it was before.
private struct BuiltRequest: RequestConvertible {
    let prepared: PreparedRequest

    // Whatever it is: the URL is all of it.
    var baseURL: URL { URL(filePath: "/") }
    var endpoint: String { prepared.url.path }
    var resolvedEndpoint: Endpoint { Endpoint(built: prepared.url) }
    var method: HTTPMethod { prepared.method }
    var header: Header { prepared.header }
    var bodyProvider: BodyProvider { BodyProvider { [body = prepared.body] _ in body } }
    var responseDecoder: ResponseDecoder<Data> { .data }
    var options: RequestOptions { prepared.options }
    var observer: (@Sendable (TransportEvent) -> Void)? { prepared.observer }
}
