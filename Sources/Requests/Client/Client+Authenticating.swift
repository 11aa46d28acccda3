extension Client {
    /// Authenticates a request by a provider that may wait or ask for more than one exchange, and sends it as often as
    /// that asks for, within the limit.
    ///
    /// - Parameter own: The request's own `Cookie` field.
    func authenticating(
        _ original: PreparedRequest,
        cookie own: String?,
        _ call: Call
    ) async throws -> Response<ResponseBody> {
        guard var flow = call.authentication.makeFlow() else {
            var request = try await call.limiting(original) { request in
                try await call.authentication.update(&request)
            }
            if call.deadline != nil { try call.limit(&request) }
            return try await exchanging(request, call)
        }
        if let deadline = call.deadline { flow = deadline.limiting(flow) }
        var request = original
        let given = original.header[.cookie]
        try await flow.start(&request)
        if call.deadline != nil { try call.limit(&request) }
        var history: [ResponseHead] = []
        var mayHaveActed = false
        do {
            while true {
                var response = try await exchanging(request, call)
                // Refused for want of credentials, it was not acted on (RFC 9110 §15.5.2).
                mayHaveActed = mayHaveActed || response.head.statusCode != 401
                let step: AuthenticationStep
                do {
                    step = try await flow.next(after: response.head)
                } catch {
                    response.content.cancel()
                    throw error
                }
                guard case .sendAgain(let again) = step, history.count + 1 < AuthenticationStep.limit else {
                    response.history = history + response.history
                    return response
                }
                history += response.history + [response.head]
                guard again.body.isReplayable else {
                    response.content.cancel()
                    throw ClientError.bodyNotReplayable("\(response.head) asks for credentials", history: history)
                }
                await response.discard(of: request.method, on: configuration.drainingClock)
                try Task.checkCancellation()
                request = again
                try call.limit(&request)
                // A challenge may have set one. What the flow has put there itself comes after cookies, and stays.
                if configuration.cookies != nil, request.header[.cookie] == given { addCookies(to: &request, own: own) }
            }
        } catch {
            throw mayHaveActed ? TransportError.followingAnother(error) : error
        }
    }
}

extension Client.Call {
    /// Changes a request in a way that may wait, but not longer than the call may take.
    fileprivate func limiting(
        _ request: PreparedRequest,
        _ change: @escaping @Sendable (inout PreparedRequest) async throws -> Void
    ) async throws -> PreparedRequest {
        guard let deadline else {
            var request = request
            try await change(&request)
            return request
        }
        try request.options.timeouts.validate()
        return try await deadline.limiting(request.url) {
            var request = request
            try await change(&request)
            return request
        }
    }
}

extension CallDeadline {
    /// A flow that waits no longer than the call may take.
    fileprivate func limiting(_ flow: any AuthenticationFlow) -> any AuthenticationFlow {
        guard var own = flow as? any SelfLimitingFlow else { return WatchedFlow(flow: flow, deadline: self) }
        own.limit(by: self)
        return own
    }
}

/// A flow of somebody else's, which may wait for anything.
private struct WatchedFlow: AuthenticationFlow {
    var flow: any AuthenticationFlow
    let deadline: CallDeadline

    mutating func start(_ request: inout PreparedRequest) async throws {
        (flow, request) = try await deadline.limiting(request.url) { [flow, request] in
            var (flow, request) = (flow, request)
            try await flow.start(&request)
            return (flow, request)
        }
    }

    mutating func next(after head: ResponseHead) async throws -> AuthenticationStep {
        let (flow, step) = try await deadline.limiting(head.url) { [flow] in
            var flow = flow
            let step = try await flow.next(after: head)
            return (flow, step)
        }
        self.flow = flow
        return step
    }
}
