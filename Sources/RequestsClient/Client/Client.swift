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
    private let lifetime: Lifetime

    /// Creates a client.
    public init(transport: any Transport, configuration: Configuration = Configuration()) {
        let state = ClientState()
        runner = CallRunner(transport, configuration, state)
        lifetime = Lifetime(state)
    }

    /// The settings for all requests.
    public var configuration: Configuration {
        get { runner.configuration }
        set { runner = CallRunner(runner.transport, newValue, runner.state) }
    }

    /// Sends a request and decodes the response. For a built request, returns the body.
    ///
    /// ```swift
    /// try await client.send(api.put(.file(photo), to: "/photos/7")) { sent, total in
    ///     print("\(sent) of \(total ?? 0) bytes")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - progress: Receives the number of bytes of the body that were sent, and the total if it is known, at most
    ///     every ``Configuration/progressInterval``. Starts again with each attempt. Default: `nil`.
    /// - Throws: `RequestError` if the request can't be built, `TransportError` if an attempt fails, `ClientError` if a
    ///   policy ends the call, `ResponseError` if the response isn't the expected one, errors of providers, middleware
    ///   and decoders unchanged, or `CancellationError`.
    public func send<R: PreparableRequest>(
        _ request: R,
        progress: (@Sendable (_ sent: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws -> R.Resource {
        var call = try runner.call(request)
        if let progress { call.progress = ProgressReporter(progress, configuration) }
        let response = try await runner.run(call) { try await CallRunner.collect($0, call) }
        return try await runner.content(of: response, call, request.responseDecoder)
    }

    /// Sends a request and decodes the response, with its head.
    ///
    /// ```swift
    /// let response = try await client.response(for: PreparedRequest(urlRequest))
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - progress: Receives the progress of the request's body, as in ``send(_:progress:)``.
    /// - Throws: The same errors as ``send(_:progress:)``.
    public func response<R: PreparableRequest>(
        for request: R,
        progress: (@Sendable (_ sent: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws -> Response<R.Resource> {
        try await runner.response(to: request, progress: progress)
    }
}

/// Ends what runs in the background with the last copy of a client.
private final class Lifetime: Sendable {
    private let state: ClientState

    init(_ state: ClientState) {
        self.state = state
    }

    deinit { state.background.cancelAll() }
}
