import Requests

extension CallRunner {
    /// Sends a request and follows redirects.
    func redirecting(_ request: PreparedRequest, _ call: Call) async throws -> Response<ResponseBody> {
        let response = try await retrying(request, call)
        guard RedirectPolicy.redirects(response.head.statusCode) else { return response }
        return try await following(response, of: request, call)
    }

    private func following(
        _ redirect: Response<ResponseBody>,
        of original: PreparedRequest,
        _ call: Call
    ) async throws -> Response<ResponseBody> {
        var (request, response, call) = (original, redirect, call)
        call.hasBegun = true
        var redirects: [ResponseHead] = []
        var heads: [ResponseHead] = []
        while true {
            // Authentication can have moved the request. A relative redirect starts at the URL that was sent.
            if response.head.url.origin != request.url.origin || response.head.url.path != request.url.path {
                request.move(to: response.head.url)
            }
            switch call.redirects.step(after: response.head, to: request, history: redirects) {
            case .deliver:
                response.history = heads + response.history
                return response
            case .stop(let error):
                response.content.cancel()
                throw error
            case .follow(let next):
                await response.discard(of: request.method, on: configuration.drainingClock)
                try CallScope.checkCancellation()
                redirects.append(response.head)
                heads += response.history + [response.head]
                // Never restored, even if a later redirect leads back.
                if next.url.origin != request.url.origin { call.authentication = .none }
                request = next
                do {
                    response = try await retrying(request, call)
                } catch {
                    // The server may have acted on the request and redirected to the result (RFC 9110 §15.4.4).
                    throw error.followingProcessedAttempt()
                }
            }
        }
    }
}
