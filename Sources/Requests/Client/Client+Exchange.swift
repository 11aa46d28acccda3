extension Client {
    /// What the exchanges of one call have in common.
    struct Call: Sendable {
        var authentication: AuthenticationProvider
        let deadline: CallDeadline?
        /// Whether something of the call came before an attempt: the first gets the whole of the total timeout.
        var hasBegun = false

        /// Leaves a request the time that is left.
        func limit(_ request: inout PreparedRequest) throws(TransportError) {
            guard let deadline else { return }
            request.options.timeouts.total = try deadline.remaining(for: request.url)
        }
    }

    /// Sends a request through all policies: middleware, then redirects, then retries.
    func exchange(
        _ request: PreparedRequest,
        authentication: AuthenticationProvider
    ) async throws -> Response<ResponseBody> {
        let authentication = authentication.isNone ? configuration.authentication : authentication
        var call = Call(
            authentication: authentication,
            deadline: request.options.timeouts.total.map { CallDeadline($0, on: configuration.clock) }
        )
        let isIntercepted = !configuration.middleware.isEmpty && request.options.interception == .on
        // A transport keeps to the time that is left; what else may wait has to be watched.
        guard let deadline = call.deadline, isIntercepted || authentication.isAsynchronous else {
            return try await isIntercepted ? intercepting(request, call) : redirecting(request, call)
        }
        try request.options.timeouts.validate()
        call.hasBegun = true
        return try await deadline.limiting(request.url) { [call] in
            try await isIntercepted ? intercepting(request, call) : redirecting(request, call)
        }
    }

    private func intercepting(_ request: PreparedRequest, _ call: Call) async throws -> Response<ResponseBody> {
        try await send(request, through: configuration.middleware[...]) { try await redirecting($0, call) }
    }

    /// One attempt: cookies, authentication, exchange middleware, transport.
    func attempt(_ request: PreparedRequest, _ call: Call) async throws -> Response<ResponseBody> {
        var request = request
        if call.hasBegun { try call.limit(&request) }
        let cookie = request.header[.cookie]
        if configuration.cookies != nil { addCookies(to: &request, own: cookie) }
        if let flow = call.authentication.makeFlow() {
            return try await authenticating(request, with: flow, cookie: cookie, call)
        }
        try await call.authentication.update(&request)
        return try await exchanging(request)
    }

    /// One exchange, as the transport sees it.
    func exchanging(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
        try request.validate()
        let response: Response<ResponseBody>
        if !configuration.exchangeMiddleware.isEmpty, request.options.interception == .on {
            response = try await send(request, through: configuration.exchangeMiddleware[...]) {
                try await transport.send($0)
            }
        } else {
            response = try await transport.send(request)
        }
        keepCookies(of: response.head, to: request)
        return response
    }

    private func send(
        _ request: PreparedRequest,
        through middleware: ArraySlice<any Middleware>,
        to end: @escaping @Sendable (PreparedRequest) async throws -> Response<ResponseBody>
    ) async throws -> Response<ResponseBody> {
        guard let first = middleware.first else { return try await end(request) }
        return try await first.intercept(request) { try await send($0, through: middleware.dropFirst(), to: end) }
    }
}
