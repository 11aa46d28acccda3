extension Client {
    /// Sends a request and follows its redirects.
    func redirecting(_ request: PreparedRequest, _ call: Call) async throws -> Response<ResponseBody> {
        let retries = request.options.retries ?? configuration.retries
        let response =
            try await retries.limit > 0 ? retrying(request, retries, call) : attempt(request, call, isFirst: true)
        guard RedirectPolicy.redirects(response.head.statusCode) else { return response }
        return try await following(response, of: request, retries, call)
    }

    private func following(
        _ redirect: Response<ResponseBody>,
        of original: PreparedRequest,
        _ retries: RetryPolicy,
        _ call: Call
    ) async throws -> Response<ResponseBody> {
        let policy = original.options.redirects ?? configuration.redirects
        var (request, response, call) = (original, redirect, call)
        call.hasBegun = true
        var hops: [RedirectPolicy.Hop] = []
        var heads: [ResponseHead] = []
        while true {
            switch policy.step(after: response.head, to: request, history: hops) {
            case .deliver:
                response.history = heads + response.history
                return response
            case .stop(let error):
                response.content.cancel()
                throw error
            case .follow(let next):
                await response.discard(of: request.method, on: configuration.drainingClock)
                try Task.checkCancellation()
                hops.append(RedirectPolicy.Hop(request: request, head: response.head))
                heads += response.history + [response.head]
                // Not for this request alone: what was taken away is never given back.
                if next.url.origin != request.url.origin { call.authentication = .none }
                request = next
                do {
                    response = try await retrying(request, retries, call)
                } catch {
                    // A server may have acted, and redirect to what tells of it (RFC 9110 §15.4.4).
                    throw TransportError.followingAnother(error)
                }
            }
        }
    }
}
