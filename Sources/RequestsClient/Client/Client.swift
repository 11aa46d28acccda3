import Dispatch
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
        let plan = try runner.plan(request, progress: progress)
        let response = try await runner.run(plan) { try await CallRunner.collect($0, plan) }
        return try await runner.content(of: response, plan, request.responseDecoder)
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
        let plan = try runner.plan(request, progress: progress)
        return try await runner.response(to: plan, decodedBy: request.responseDecoder)
    }

    /// Sends a request through one more call middleware, which runs even if the request isn't intercepted.
    package func response<R: PreparableRequest>(
        for request: R,
        through innermost: any Middleware
    ) async throws -> Response<R.Resource> {
        let plan = try runner.plan(request, through: innermost)
        return try await runner.response(to: plan, decodedBy: request.responseDecoder)
    }
}

/// Ends what runs in the background with the last copy of a client.
private final class Lifetime: Sendable {
    private let state: ClientState

    init(_ state: ClientState) { self.state = state }

    deinit { state.background.cancelAll() }
}

extension Client {
    /// Sends a request and returns the decoded response or the error.
    public func result<R: PreparableRequest>(of request: R) async -> Result<R.Resource, any Error> {
        await Result(awaiting: { try await send(request) })
    }

    /// Sends a request, decodes the response, and calls a completion handler.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - queue: The queue of the completion handler.
    ///   - completion: Receives the result exactly once.
    /// - Returns: The task of the call. Canceling it makes the call fail with `CancellationError`; dropping it doesn't.
    @discardableResult
    public func send<R: PreparableRequest>(
        _ request: R,
        on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<R.Resource, any Error>) -> Void
    ) -> Task<Void, Never> {
        Task {
            let result = await result(of: request)
            queue.async { completion(result) }
        }
    }

    /// The number of calls in progress of this client and its copies, including those that wait before a retry. A body
    /// that is read as a stream isn't part of a call.
    public var runningCalls: Int { runner.state.calls.count }

    /// Cancels all calls in progress of this client and its copies, however they were started.
    ///
    /// The calls throw `CancellationError`, but the tasks that made them aren't canceled. It also ends the waits
    /// between the connections of ``events(for:lastEventID:retries:upTo:)``. A body that is read as a stream
    /// isn't part of a call. End it with ``ResponseBody/cancel()``.
    public func cancelAll() {
        runner.state.calls.cancelAll()
        runner.state.background.cancelAll()
    }
}

extension Client {
    /// Sends a request and returns the response with any status and the body as it arrives.
    ///
    /// The request's decoder and the client's ``Configuration/validation`` aren't used, except by
    /// `Response.validated()`.
    ///
    /// - Throws: The same errors as ``send(_:progress:)``.
    public func stream(_ request: some PreparableRequest) async throws -> Response<ResponseBody> {
        try await runner.stream(runner.plan(request, goal: .head), request.responseDecoder.rules)
    }
}

extension Response<ResponseBody> {
    /// Returns the response if its status is accepted, with the body still unread.
    ///
    /// ```swift
    /// let log = try await client.stream(api.get(.none, from: "/log")).validated()
    /// ```
    ///
    /// Accepts the same responses as ``Client/send(_:progress:)``. A response that doesn't come from a client is
    /// accepted if its status is 200 to 299. Errors thrown here don't reach ``Client/Configuration/onFailure``.
    ///
    /// - Throws: `ResponseError.Code.status`, or an error of collecting the body.
    public func validated() async throws -> Response {
        let validation = validation?.value ?? ResponseValidation()
        guard !validation.accepts(head) else { return self }
        throw try await rejection(by: validation)
    }

    /// Collects the body of a response that isn't accepted, and reads the description of the failure.
    @concurrent
    func rejection(by validation: ResponseValidation) async throws -> ResponseError {
        validation.rejection(of: head, try await content.collect(upTo: validation.maximumBodyBytes))
    }
}

extension Client {
    /// Decides which responses a client accepts.
    ///
    /// ```swift
    /// configuration.validation = .status(200..<400)
    /// configuration.validation = Client.Validation {
    ///     $0.header.contains("X-Version")
    /// }
    /// ```
    ///
    /// For a response that isn't accepted, a call throws `ResponseError.Code.status`.
    public struct Validation: Sendable {
        let accepts: @Sendable (ResponseHead) -> Bool

        /// Accepts the responses that satisfy a condition.
        public init(_ accepts: @escaping @Sendable (ResponseHead) -> Bool) {
            self.accepts = accepts
        }

        /// Accepts every response.
        public static let none = Validation { _ in true }

        /// Accepts the statuses 200 to 299.
        public static let success = Validation { $0.status.isSuccess }

        /// Accepts these statuses.
        public static func status(_ statuses: some Sequence<Int>) -> Validation {
            let statuses = Set(statuses)
            return Validation { statuses.contains($0.statusCode) }
        }
    }
}
