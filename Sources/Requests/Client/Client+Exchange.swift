extension Client {
    /// What the exchanges of one call have in common.
    struct Call: Sendable {
        var authentication: AuthenticationProvider
        let deadline: CallDeadline?
        /// Those of the call's other requests, where it makes several.
        let attempts: EarlierAttempts?
        let journal: CallJournal?
        /// How large a body the caller will collect; `nil` where it is read as it comes.
        let maximumBodyBytes: Int?
        /// Whether something of the call came before an attempt: the first gets the whole of the total timeout.
        var hasBegun: Bool

        /// Leaves a request the time that is left.
        func limit(_ request: inout PreparedRequest) throws(TransportError) {
            guard let deadline else { return }
            request.options.timeouts.leave(try deadline.remaining(for: request.url), ofTotal: deadline.total)
        }
    }

    /// Sends a request through all policies: middleware, then redirects, then retries.
    ///
    /// - Parameters:
    ///   - deadline: That of the call, where it has sent a request before.
    ///   - attempts: Those of the call's other requests, where it makes several.
    func exchange(
        _ request: PreparedRequest,
        authentication: AuthenticationProvider,
        collecting maximumBodyBytes: Int?,
        within deadline: CallDeadline?,
        after attempts: EarlierAttempts?,
        _ journal: CallJournal?
    ) async throws -> Response<ResponseBody> {
        let isIntercepted = !configuration.middleware.isEmpty && request.options.interception == .on
        let call = Call(
            authentication: authentication,
            deadline: deadline ?? request.options.timeouts.total.map { CallDeadline($0, on: configuration.clock) },
            attempts: attempts,
            journal: journal,
            maximumBodyBytes: maximumBodyBytes,
            hasBegun: isIntercepted || deadline != nil
        )
        guard isIntercepted else { return try await redirecting(request, call) }
        return try await send(request, through: configuration.middleware[...]) { try await redirecting($0, call) }
    }

    /// One attempt: cookies, authentication, exchange middleware, transport.
    func attempt(_ request: PreparedRequest, _ call: Call, isFirst: Bool) async throws -> Response<ResponseBody> {
        var request = request
        if call.hasBegun || !isFirst { try call.limit(&request) }
        let cookie = request.header[.cookie]
        if configuration.cookies != nil { addCookies(to: &request, own: cookie) }
        if call.authentication.isAsynchronous {
            return try await authenticating(request, cookie: cookie, call)
        }
        try call.authentication.updateNow(&request)
        return try await exchanging(request, call)
    }

    /// One exchange, as the transport sees it.
    func exchanging(_ request: PreparedRequest, _ call: Call) async throws -> Response<ResponseBody> {
        try request.validate()
        call.journal?.attempts(request)
        var response: Response<ResponseBody>
        if !configuration.exchangeMiddleware.isEmpty, request.options.interception == .on {
            response = try await send(request, through: configuration.exchangeMiddleware[...]) {
                try await transport.send($0)
            }
        } else {
            response = try await transport.send(request)
        }
        // A transport's own URL does not know what is secret in the request's.
        response.head.url = response.head.url.hidingAlso(whatIsHiddenIn: request.url)
        call.journal?.receives(response.head)
        keepCookies(of: response.head, to: request)
        return response
    }

    private func send(
        _ request: PreparedRequest,
        through middleware: ArraySlice<any Middleware>,
        to end: @escaping @Sendable (PreparedRequest) async throws -> Response<ResponseBody>
    ) async throws -> Response<ResponseBody> {
        guard let first = middleware.first else { return try await end(request) }
        let next: Middleware.Next = { try await send($0, through: middleware.dropFirst(), to: end) }
        if let interceptor = first as? ErrorInterceptor {
            return try await interceptor.intercept(request, on: configuration.clock, next: next)
        }
        return try await first.intercept(request, next: next)
    }
}
