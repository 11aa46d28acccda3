import Foundation

/// Middleware that is asked about each failure, and says what becomes of it.
///
/// ```swift
/// configuration.middleware = [
///     ErrorInterceptor { failure in
///         failure.head?.statusCode == 503 && failure.attempt < 3 ? .retry(after: .seconds(1)) : .proceed
///     }
/// ]
/// ```
///
/// A failure is a response whose status is 400 or more, or an error. A cancelled call is none.
public struct ErrorInterceptor: Middleware {
    /// What failed.
    public struct Failure: Sendable {
        /// The request.
        public let request: PreparedRequest
        /// The response's head; `nil` where there is no response.
        public let head: ResponseHead?
        /// The start of the response's body, as far as it was asked for; empty where there is no response.
        public let body: Data
        /// The error; `nil` where there is a response.
        public let error: (any Error)?
        /// How often the request was sent, this time included.
        public let attempt: Int
    }

    /// What becomes of a failure.
    public enum Decision: Sendable {
        /// Nothing: the caller gets it as it is.
        case proceed
        /// The request is sent again after a wait. Where its body can be read once, or the wait is longer than what is left
        /// of the total timeout, the caller gets the failure.
        case retry(after: Duration)
        /// The caller gets this response.
        case replace(ResponseHead, Data)
        /// The caller gets this error.
        case fail(any Error)
    }

    private let maximumBodyBytes: Int
    private let clock: (any Clock<Duration>)?
    private let decide: @Sendable (Failure) async throws -> Decision

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - maximumBodyBytes: How much of a failure's body is read for the decision; 64 KiB by default. The caller gets
    ///     all of it in any case.
    ///   - clock: The clock of the waits; `nil`, the default, for that of the client whose middleware it is, and the
    ///     system's where other middleware calls it.
    ///   - decide: Decides. An error of it is the caller's.
    public init(
        maximumBodyBytes: Int = 64 << 10,
        clock: (any Clock<Duration>)? = nil,
        decide: @escaping @Sendable (Failure) async throws -> Decision
    ) {
        self.maximumBodyBytes = maximumBodyBytes
        self.clock = clock
        self.decide = decide
    }

    /// Sends a request on, and again where that was decided.
    public func intercept(_ request: PreparedRequest, next: @escaping Next) async throws -> Response<ResponseBody> {
        try await intercept(request, on: ContinuousClock(), next: next)
    }

    /// - Parameter clientClock: The clock of the waits, where the interceptor has none of its own.
    func intercept(
        _ request: PreparedRequest,
        on clientClock: any Clock<Duration>,
        next: @escaping Next
    ) async throws -> Response<ResponseBody> {
        let clock = clock ?? clientClock
        var attempt = 1
        var request = request
        let timeouts = request.options.timeouts
        let deadline = timeouts.total.map { CallDeadline($0, on: clock) }
        while true {
            let (failure, result) = try await outcome(of: request, attempt, next)
            guard let failure else { return try result.get() }
            let decision: Decision
            do {
                decision = try await decide(failure)
            } catch {
                result.cancel()
                throw error
            }
            switch decision {
            case .retry(let delay) where request.body.isReplayable && deadline?.allows(delay) ?? true:
                if case .success(let response) = result {
                    await response.discard(of: request.method, on: ContinuousClock())
                }
                try await clock.sleep(for: min(delay, Timeouts.longest))
                attempt += 1
                if let deadline, let total = timeouts.statedTotal {
                    request.options.timeouts.leave(try deadline.remaining(for: request.url), ofTotal: total)
                }
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

    /// Sends a request once, and reads the start of what failed. There is no failure where it went well.
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

extension Result<Response<ResponseBody>, any Error> {
    fileprivate func cancel() {
        if case .success(let response) = self { response.content.cancel() }
    }
}
