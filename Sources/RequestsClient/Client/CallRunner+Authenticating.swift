import Requests

extension CallRunner {
    private static let maximumRoundTrips = 5

    /// Sends a request as often as its authentication flow asks for, up to the limit.
    func authenticating(
        _ original: PreparedRequest,
        _ flow: any AuthenticationFlow,
        ownCookie: String?,
        _ call: Call,
        attempt: Int
    ) async throws -> Response<ResponseBody> {
        var flow = LimitedFlow(flow: flow, deadline: call.deadline)
        var request = original
        try await flow.start(&request)
        moveCookies(of: &request, from: original.url, original.header[.cookie], own: ownCookie)
        try call.limit(&request)
        var history: [ResponseHead] = []
        var mayHaveBeenProcessed = false
        do {
            while true {
                var response = try await exchanging(request, call, attempt: attempt)
                // A request without valid credentials was not processed (RFC 9110 §15.5.2).
                mayHaveBeenProcessed = mayHaveBeenProcessed || response.head.statusCode != 401
                guard case .sendAgain(let again) = try await flow.next(after: response),
                    history.count + 1 < CallRunner.maximumRoundTrips
                else {
                    response.history = history + response.history
                    return response
                }
                history += response.history + [response.head]
                guard again.body.isReplayable else {
                    response.content.cancel()
                    throw ClientError.bodyNotReplayable("\(response.head) requires credentials", history: history)
                }
                await response.discard(of: request.method, on: configuration.drainingClock)
                try CallScope.checkCancellation()
                request = again
                try call.limit(&request)
                // The challenge may have set a cookie. A cookie that the flow has set stays.
                if configuration.cookies != nil, request.header[.cookie] == original.header[.cookie] {
                    addCookies(to: &request, own: ownCookie)
                }
            }
        } catch {
            throw mayHaveBeenProcessed ? error.followingProcessedAttempt() : error
        }
    }
}

/// A flow that doesn't wait longer than the call may take.
private struct LimitedFlow {
    var flow: any AuthenticationFlow
    let deadline: CallDeadline?

    mutating func start(_ request: inout PreparedRequest) async throws {
        (flow, request) = try await limited(request.url) { [flow, request] in
            var (flow, request) = (flow, request)
            try await flow.start(&request)
            return (flow, request)
        }
    }

    mutating func next(after response: Response<ResponseBody>) async throws -> AuthenticationProvider.Step {
        do {
            let step: AuthenticationProvider.Step
            (flow, step) = try await limited(response.head.url) { [flow, head = response.head] in
                var flow = flow
                let step = try await flow.next(after: head)
                return (flow, step)
            }
            return step
        } catch {
            response.content.cancel()
            throw error
        }
    }

    private func limited<Result: Sendable>(
        _ url: RequestURL,
        _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await CallScope.isolating {
            guard let deadline else { return try await operation() }
            return try await deadline.limiting(url, operation)
        }
    }
}
