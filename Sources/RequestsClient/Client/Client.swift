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
    /// The settings for all requests.
    public var configuration: Configuration

    let transport: any Transport
    let state = ClientState()

    /// Creates a client.
    public init(transport: any Transport, configuration: Configuration = Configuration()) {
        self.transport = transport
        self.configuration = configuration
    }

    /// Sends a request and decodes the response.
    ///
    /// - Throws: `RequestError` if the request can't be built, `TransportError` if an exchange fails, `ClientError` if
    ///   a policy ends the call, `ResponseError` if the response isn't the expected one, errors of providers,
    ///   middleware and decoders unchanged, or `CancellationError`.
    public func send<R: RequestConvertible>(_ request: R) async throws -> R.Resource {
        try await response(to: Definition(request)).content
    }

    /// Sends a built request and returns the body.
    ///
    /// - Throws: The same errors as ``send(_:)-(R)``.
    public func send(_ request: PreparedRequest) async throws -> Data {
        try await response(to: request).content
    }

    /// Sends a request and decodes the response, with its head.
    ///
    /// - Throws: The same errors as ``send(_:)-(R)``.
    public func response<R: RequestConvertible>(for request: R) async throws -> Response<R.Resource> {
        try await response(to: Definition(request))
    }

    /// Sends a built request and returns the head and the body.
    ///
    /// ```swift
    /// let response = try await client.response(for: PreparedRequest(urlRequest))
    /// ```
    ///
    /// - Throws: The same errors as ``send(_:)-(R)``.
    public func response(for request: PreparedRequest) async throws -> Response<Data> {
        try await response(to: request)
    }

    func response<Input: CallInput>(to input: Input) async throws -> Response<Input.Resource> {
        try await perform(input) { outgoing, logger in
            let call = Call(outgoing, configuration, logger: logger, collectsBody: true)
            let exchange = try await exchange(outgoing.request, call)
            let data = try await exchange.content.collect(upTo: call.maximumBodyBytes)
            let resource = try await decode(exchange.head, data, input.decoder)
            let response = Response(
                head: exchange.head,
                content: resource,
                history: exchange.history,
                metrics: exchange.content.metrics ?? exchange.metrics
            )
            logger?.succeeded(response.head, receivedBytes: data.count, metrics: response.metrics)
            return response
        }
    }

    /// Decodes away from the caller's actor, because decoding takes processor time.
    @concurrent
    private func decode<Resource>(
        _ head: ResponseHead,
        _ data: Data,
        _ decoder: ResponseDecoder<Resource>
    ) async throws -> Resource {
        let json = JSONCoders.standard.decoder
        try (decoder.rules ?? ResponseRules()).check(head, data, json, or: configuration.validation)
        return try await decoder.read(head, data, json).awaited
    }
}
