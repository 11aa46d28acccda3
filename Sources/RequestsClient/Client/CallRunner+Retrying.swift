import Requests

extension CallRunner {
    /// Sends a request, and again if the policy says so.
    func retrying(_ request: PreparedRequest, _ call: Call) async throws -> Response<ResponseBody> {
        guard call.retries.limit > 0 else { return try await attempt(request, call, number: 1) }
        return try await repeating(request, call)
    }

    private func repeating(_ request: PreparedRequest, _ call: Call) async throws -> Response<ResponseBody> {
        let policy = call.retries
        configuration.retryBudget?.addRequest()
        var attempts = call.attempts?.value ?? AttemptHistory.Value()
        defer { call.attempts?.value = attempts }
        while true {
            let result: Result<Response<ResponseBody>, any Error>
            do {
                var response = try await attempt(request, call, number: attempts.retries + 1)
                if call.collectsBody, attempts.retries < policy.limit {
                    try await collectBody(of: &response, call)
                }
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
            // If the retry would be too late, the current result is better than a timeout.
            guard case .retry(let delay) = step, call.deadline?.allows(delay) ?? true,
                configuration.retryBudget?.takeRetry() ?? true
            else {
                return try result.mapError { error in
                    let named = (error as? TransportError)?.naming(attempts: attempts.retries + 1) ?? error
                    return attempts.mayHaveBeenProcessed ? named.followingProcessedAttempt() : named
                }
                .get()
            }
            attempts.mayHaveBeenProcessed = attempts.mayHaveBeenProcessed || outcome.mayHaveBeenProcessed
            call.logger?.retries(after: delay, outcome)
            if case .success(let response) = result {
                await response.discard(of: request.method, on: configuration.drainingClock)
            }
            try CallScope.checkCancellation()
            try await sleep(for: delay)
            attempts.retries += 1
        }
    }

    /// Collects the body of a successful response, because an incomplete body is a reason to retry.
    private func collectBody(of response: inout Response<ResponseBody>, _ call: Call) async throws {
        guard response.head.status.isSuccess else { return }
        let data = try await response.collect(upTo: call.maximumBodyBytes, of: call.request.method)
        response.boxedMetrics = response.finalMetrics
        response.content = ResponseBody(data)
    }
}

extension RetryPolicy.Outcome {
    fileprivate init(_ result: Result<Response<ResponseBody>, any Error>) {
        switch result {
        case .success(let response): self = .response(response.head)
        case .failure(let error): self = .failure(error)
        }
    }

    /// Whether the server may have acted on the attempt. Unknown for errors of other layers.
    fileprivate var mayHaveBeenProcessed: Bool {
        switch self {
        case .response: true
        case .failure(let error): (error as? TransportError)?.requestMayHaveBeenProcessed ?? true
        }
    }
}
