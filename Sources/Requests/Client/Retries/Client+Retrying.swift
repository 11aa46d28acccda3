extension Client {
    /// Sends a request, and again where the policy says so.
    func retrying(
        _ request: PreparedRequest,
        _ policy: RetryPolicy,
        _ call: Call
    ) async throws -> Response<ResponseBody> {
        var (call, retries) = (call, 0)
        while true {
            var result = await outcome(of: { try await attempt(request, call) })
            if retries < policy.limit, case .success(let response) = result {
                // For one who collects the body the attempt is not over with the head.
                result = await outcome(of: { try await collecting(response, call.maximumBodyBytes) })
            }
            let step = step(policy, after: result, request, retries)
            // A retry that would come too late is none: what there is, is better than a timeout.
            guard case .retry(let delay) = step, call.deadline.map({ delay < $0.remaining }) ?? true else {
                return try result.get()
            }
            call.journal?.retries(after: delay, RetryPolicy.Outcome(result))
            if case .success(let response) = result { await response.content.discard() }
            try Task.checkCancellation()
            try await configuration.clock.sleep(for: delay)
            retries += 1
            call.hasBegun = true
        }
    }

    private func outcome(
        of operation: () async throws -> Response<ResponseBody>
    ) async -> Result<Response<ResponseBody>, any Error> {
        do {
            return .success(try await operation())
        } catch {
            return .failure(error)
        }
    }

    private func step(
        _ policy: RetryPolicy,
        after result: Result<Response<ResponseBody>, any Error>,
        _ request: PreparedRequest,
        _ retries: Int
    ) -> RetryPolicy.Step {
        policy.step(
            after: RetryPolicy.Outcome(result),
            to: request,
            retries: retries,
            random: configuration.random,
            now: configuration.date
        )
    }

    /// - Parameter maximum: How large a body is collected; `nil` for none. What failed is not asked for again for the
    ///   words in its body.
    private func collecting(
        _ response: Response<ResponseBody>,
        _ maximum: Int?
    ) async throws -> Response<ResponseBody> {
        guard let maximum, (200..<300).contains(response.head.statusCode) else { return response }
        var response = response
        let data = try await response.content.collect(upTo: maximum)
        response.metrics = response.content.metrics ?? response.metrics
        response.content = ResponseBody(data)
        return response
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
