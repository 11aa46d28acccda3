extension Client {
    /// Sends a request, and again where the policy says so.
    func retrying(
        _ request: PreparedRequest,
        _ policy: RetryPolicy,
        _ call: Call
    ) async throws -> Response<ResponseBody> {
        var attempts = call.attempts?.value ?? EarlierAttempts.Value()
        defer { call.attempts?.value = attempts }
        while true {
            let result: Result<Response<ResponseBody>, any Error>
            do {
                var response = try await attempt(request, call, isFirst: attempts.retries == 0)
                // For one who collects the body the attempt is not over with the head.
                if attempts.retries < policy.limit { try await collectBody(of: &response, upTo: call.maximumBodyBytes) }
                if policy.accepts(response.head) { return response }
                result = .success(response)
            } catch {
                result = .failure(error)
            }
            let outcome = RetryPolicy.Outcome(result)
            let step = policy.step(
                after: outcome,
                to: request,
                retries: attempts.retries,
                random: configuration.random,
                now: configuration.date
            )
            // A retry that would come too late is none: what there is, is better than a timeout.
            guard case .retry(let delay) = step, call.deadline?.allows(delay) ?? true else {
                return try result.mapError { attempts.mayHaveActed ? TransportError.followingAnother($0) : $0 }.get()
            }
            attempts.mayHaveActed = attempts.mayHaveActed || outcome.mayHaveBeenProcessed
            call.journal?.retries(after: delay, outcome)
            if case .success(let response) = result {
                await response.discard(of: request.method, on: configuration.drainingClock)
            }
            try Task.checkCancellation()
            try await configuration.clock.sleep(for: delay)
            attempts.retries += 1
        }
    }

    /// Collects the body of a success alone: the text of an error is no reason to send again.
    ///
    /// - Parameter maximum: How large a body is collected; `nil` for none.
    private func collectBody(of response: inout Response<ResponseBody>, upTo maximum: Int?) async throws {
        guard let maximum, (200..<300).contains(response.head.statusCode) else { return }
        let data = try await response.content.collect(upTo: maximum)
        if let metrics = response.content.metrics { response.metrics = metrics }
        response.content = ResponseBody(data)
    }
}

/// What came before of a call that makes several requests: the limit of retries is for all of them.
final class EarlierAttempts: Sendable {
    struct Value {
        var retries = 0
        /// Whether the server may have acted on one of them.
        var mayHaveActed = false
    }

    private let guarded = Guarded(Value())

    var value: Value {
        get { guarded.withLock { $0 } }
        set { guarded.withLock { $0 = newValue } }
    }
}

extension RetryPolicy.Outcome {
    fileprivate init(_ result: Result<Response<ResponseBody>, any Error>) {
        switch result {
        case .success(let response): self = .response(response.head)
        case .failure(let error): self = .failure(error)
        }
    }

    /// Whether the server may have acted on the attempt: of an error that is not the transport's nobody knows.
    fileprivate var mayHaveBeenProcessed: Bool {
        switch self {
        case .response: true
        case .failure(let error): (error as? TransportError)?.requestMayHaveBeenProcessed ?? true
        }
    }
}
