extension Client {
    /// Sends a request, and again where the policy says so.
    func retrying(
        _ request: PreparedRequest,
        _ policy: RetryPolicy,
        _ call: Call
    ) async throws -> Response<ResponseBody> {
        var (call, retries) = (call, 0)
        while true {
            let result: Result<Response<ResponseBody>, any Error>
            do {
                result = .success(try await attempt(request, call))
            } catch {
                result = .failure(error)
            }
            let outcome = RetryPolicy.Outcome(result)
            let step = policy.step(
                after: outcome,
                to: request,
                retries: retries,
                random: configuration.random,
                now: configuration.date
            )
            // A retry that would come too late is none: what there is, is better than a timeout.
            guard case .retry(let delay) = step, call.deadline.map({ delay < $0.remaining }) ?? true else {
                return try result.get()
            }
            call.journal?.retries(after: delay, outcome)
            if case .success(let response) = result { await response.content.discard() }
            try Task.checkCancellation()
            try await configuration.clock.sleep(for: delay)
            retries += 1
            call.hasBegun = true
        }
    }
}

extension RetryPolicy.Outcome {
    fileprivate init(_ result: Result<Response<ResponseBody>, any Error>) {
        switch result {
        case .success(let response): self = .response(response.head)
        case .failure(let error): self = .failure(error)
        }
    }
}
