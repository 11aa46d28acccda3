import Requests

/// Middleware that decides what follows a failure.
///
/// ```swift
/// configuration.middleware = [
///     ErrorInterceptor { failure in
///         failure.head?.statusCode == 503 && failure.attempt < 3 ? .retry(after: .seconds(1)) : .proceed
///     }
/// ]
/// ```
///
/// A failure is a response with a status of 400 or more, or an error. A canceled call isn't a failure.
public struct ErrorInterceptor: Middleware {
    /// A failure.
    public struct Failure: Sendable {
        /// The request.
        public let request: PreparedRequest
        /// The response's head. `nil` if there is no response.
        public let head: ResponseHead?
        /// The beginning of the response's body. Empty if there is no response.
        public let body: Data
        /// The error. `nil` if there is a response.
        public let error: (any Error)?
        /// The number of attempts so far.
        public let attempt: Int
    }

    /// The decision about a failure.
    public enum Decision: Sendable {
        /// The caller gets the failure.
        case proceed
        /// The request is sent again after a wait. The caller gets the failure if the body can't be sent again, if the
        /// wait is longer than the remaining total timeout, or if the client's retry budget is used up.
        case retry(after: Duration)
        /// The caller gets this response.
        case replace(ResponseHead, Data)
        /// The caller gets this error.
        case fail(any Error)
    }

    private let maximumBodyBytes: Int
    private let decide: @Sendable (Failure) async throws -> Decision

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - maximumBodyBytes: The most bytes of a failure's body to read for the decision. Default: 64 KiB. The caller
    ///     still gets the whole body.
    ///   - decide: Decides what follows. Its errors are rethrown to the caller.
    public init(
        maximumBodyBytes: Int = 64 << 10,
        decide: @escaping @Sendable (Failure) async throws -> Decision
    ) {
        self.maximumBodyBytes = maximumBodyBytes
        self.decide = decide
    }

    /// Sends a request on, and again if that is decided.
    public func intercept(
        _ request: PreparedRequest,
        context: CallContext,
        next: @escaping Next
    ) async throws -> Response<ResponseBody> {
        var attempt = 1
        while true {
            let (failure, result) = try await outcome(of: request, attempt, next)
            guard let failure else { return try result.get() }
            switch try await decision(on: failure, result) {
            case .retry(let delay) where context.mayRepeat(request, after: delay):
                context.log(.retrying(after: delay, because: failure.reason))
                if case .success(let response) = result {
                    await response.discard(of: request.method, on: context.drainingClock)
                }
                try await CallRunner.wait(for: delay, on: context.clock)
                // If the wait took too long, the failure says more than a timeout.
                if let remaining = context.remaining, remaining <= .zero {
                    return try result.map { $0.replacing(ResponseBody(failure.body)) }.get()
                }
                attempt += 1
            case .proceed, .retry:
                return try result.get()
            case .replace(let head, let data):
                result.cancel()
                return Response(head: head, content: ResponseBody(data))
            case .fail(let error):
                result.cancel()
                throw error
            }
        }
    }

    private func decision(
        on failure: Failure,
        _ result: Result<Response<ResponseBody>, any Error>
    ) async throws -> Decision {
        do {
            return try await decide(failure)
        } catch {
            result.cancel()
            throw error
        }
    }

    /// Sends a request once and reads the beginning of a failure's body. Returns no failure if the request succeeded.
    private func outcome(
        of request: PreparedRequest,
        _ attempt: Int,
        _ next: (PreparedRequest) async throws -> Response<ResponseBody>
    ) async throws -> (Failure?, Result<Response<ResponseBody>, any Error>) {
        do {
            var response = try await next(request)
            guard response.head.statusCode >= 400 else { return (nil, .success(response)) }
            let start = try await PeekedSource.peek(response.content, upTo: maximumBodyBytes)
            response.content = start.body
            let failure = Failure(
                request: request,
                head: response.head,
                body: start.bytes,
                error: nil,
                attempt: attempt
            )
            return (failure, .success(response))
        } catch {
            guard !(error is CancellationError) else { throw error }
            let failure = Failure(request: request, head: nil, body: Data(), error: error, attempt: attempt)
            return (failure, .failure(error))
        }
    }
}

extension ErrorInterceptor.Failure {
    fileprivate var reason: String {
        head.map { "status \($0.statusCode)" } ?? error.map { Redaction.reason($0) } ?? ""
    }
}

extension Result<Response<ResponseBody>, any Error> {
    fileprivate func cancel() {
        if case .success(let response) = self { response.content.cancel() }
    }
}
