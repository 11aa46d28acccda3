extension Client {
    /// Sends a request, and again where the policy says so.
    func retrying(
        _ request: PreparedRequest,
        _ policy: RetryPolicy,
        _ call: Call
    ) async throws -> Response<ResponseBody> {
        var retries = 0
        // On an attempt before the last one.
        var mayHaveActed = false
        while true {
            let result: Result<Response<ResponseBody>, any Error>
            do {
                var response = try await attempt(request, call, isFirst: retries == 0)
                // For one who collects the body the attempt is not over with the head.
                if retries < policy.limit { try await collectBody(of: &response, upTo: call.maximumBodyBytes) }
                if policy.accepts(response.head) { return response }
                result = .success(response)
            } catch {
                result = .failure(error)
            }
            let step = step(policy, after: result, request, retries)
            // A retry that would come too late is none: what there is, is better than a timeout.
            guard case .retry(let delay) = step, call.deadline.map({ delay < $0.remaining }) ?? true else {
                return try result.mapError { mayHaveActed ? TransportError.followingAnother($0) : $0 }.get()
            }
            mayHaveActed = mayHaveActed || RetryPolicy.Outcome(result).mayHaveBeenProcessed
            call.journal?.retries(after: delay, RetryPolicy.Outcome(result))
            if case .success(let response) = result {
                await response.discard(of: request.method, on: configuration.drainingClock)
            }
            try Task.checkCancellation()
            try await configuration.clock.sleep(for: delay)
            retries += 1
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
    private func collectBody(of response: inout Response<ResponseBody>, upTo maximum: Int?) async throws {
        guard let maximum, (200..<300).contains(response.head.statusCode) else { return }
        let data = try await response.content.collect(upTo: maximum)
        if let metrics = response.content.metrics { response.metrics = metrics }
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

    /// Whether the server may have acted on the attempt: of an error that is not the transport's nobody knows.
    fileprivate var mayHaveBeenProcessed: Bool {
        switch self {
        case .response: true
        case .failure(let error): (error as? TransportError)?.requestMayHaveBeenProcessed ?? true
        }
    }
}
