import Foundation
import Requests

/// Sends requests over a transport and decodes the responses.
///
/// ```swift
/// let client = Client(transport: CurlTransport.shared)
/// let user = try await client.send(api.get(json: User.self, from: "/user/1"))
/// ```
///
/// A client is a value. A copy with another configuration shares the transport, the calls in progress and the failures.
public struct Client: Sendable {
    private(set) var runner: CallRunner

    /// Creates a client.
    public init(transport: any Transport, configuration: Configuration = Configuration()) {
        runner = CallRunner(transport, configuration, ClientState())
    }

    /// The settings for all requests.
    public var configuration: Configuration {
        get { runner.configuration }
        set { runner = CallRunner(runner.transport, newValue, runner.state) }
    }

    /// Sends a request and decodes the response.
    ///
    /// - Throws: `RequestError` if the request can't be built, `TransportError` if an exchange fails, `ClientError` if
    ///   a policy ends the call, `ResponseError` if the response isn't the expected one, errors of providers,
    ///   middleware and decoders unchanged, or `CancellationError`.
    public func send<R: RequestConvertible>(_ request: R) async throws -> R.Resource {
        let call = try runner.call(request)
        return try await runner.content(of: runner.response(of: call), call, request.responseDecoder)
    }

    /// Sends a built request and returns the body.
    ///
    /// - Throws: The same errors as ``send(_:)-(R)``.
    public func send(_ request: PreparedRequest) async throws -> Data {
        try await runner.response(to: request).content
    }

    /// Sends a request and decodes the response, with its head.
    ///
    /// - Throws: The same errors as ``send(_:)-(R)``.
    public func response<R: RequestConvertible>(for request: R) async throws -> Response<R.Resource> {
        try await runner.response(to: Definition(request))
    }

    /// Sends a built request and returns the head and the body.
    ///
    /// ```swift
    /// let response = try await client.response(for: PreparedRequest(urlRequest))
    /// ```
    ///
    /// - Throws: The same errors as ``send(_:)-(R)``.
    public func response(for request: PreparedRequest) async throws -> Response<Data> {
        try await runner.response(to: request)
    }
}
