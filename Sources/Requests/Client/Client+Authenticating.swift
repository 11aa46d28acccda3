extension Client {
    /// Sends a request as often as its authentication asks for, within the limit.
    ///
    /// - Parameter own: The request's own `Cookie` field.
    func authenticating(
        _ original: PreparedRequest,
        with flow: any AuthenticationFlow,
        cookie own: String?,
        _ call: Call
    ) async throws -> Response<ResponseBody> {
        var (flow, request) = (flow, original)
        var history: [ResponseHead] = []
        try await flow.start(&request)
        while true {
            var response = try await exchanging(request)
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
            await response.content.discard()
            try Task.checkCancellation()
            request = again
            // A challenge may have set one.
            if configuration.cookies != nil { addCookies(to: &request, own: own) }
            try call.limit(&request)
        }
    }
}
