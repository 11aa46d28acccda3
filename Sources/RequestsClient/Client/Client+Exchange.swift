import Requests

extension Client {
    /// Sends a request through the client's middleware and all policies.
    func exchange(_ request: PreparedRequest, _ call: Call) async throws -> Response<ResponseBody> {
        // The client relies on the timeouts before a transport validates the request.
        try request.options.timeouts.validate()
        guard !configuration.middleware.isEmpty, call.isIntercepted else {
            return try await redirecting(request, call)
        }
        var call = call
        call.hasBegun = true
        return try await send(request, through: configuration.middleware[...], context(call, attempt: 1)) { [call] in
            try await redirecting($0, call)
        }
    }

    /// One attempt: cookies, authentication, exchange middleware, transport.
    func attempt(_ request: PreparedRequest, _ call: Call, number: Int) async throws -> Response<ResponseBody> {
        var request = request
        if call.hasBegun || number > 1 { try call.limit(&request) }
        let ownCookie = request.header[.cookie]
        if configuration.cookies != nil { addCookies(to: &request, own: ownCookie) }
        switch call.authentication.scheme {
        case .inherited: break
        case .immediate(let authenticate): try authenticate(&request)
        case .flow(let makeFlow):
            return try await authenticating(request, makeFlow(), ownCookie: ownCookie, call, attempt: number)
        }
        return try await exchanging(request, call, attempt: number)
    }

    /// One exchange, as the transport sees it.
    func exchanging(_ request: PreparedRequest, _ call: Call, attempt: Int) async throws -> Response<ResponseBody> {
        // Transports validate as well, but a transport that forgets it must not send two requests.
        try request.validate()
        call.logger?.attempts(request)
        var response: Response<ResponseBody>
        if !configuration.exchangeMiddleware.isEmpty, call.isIntercepted {
            let context = context(call, attempt: attempt)
            response = try await send(request, through: configuration.exchangeMiddleware[...], context) {
                try await transport.send($0)
            }
        } else {
            response = try await transport.send(request)
        }
        // The transport doesn't know which query items of the request's URL are secret.
        response.head.url = response.head.url.redacting(sameAs: request.url)
        call.logger?.receives(response.head)
        keepCookies(of: response.head, to: request)
        return response
    }

    private func context(_ call: Call, attempt: Int) -> CallContext {
        CallContext(call, attempt: attempt, configuration)
    }

    private func send(
        _ request: PreparedRequest,
        through middleware: ArraySlice<any Middleware>,
        _ context: CallContext,
        to end: @escaping Middleware.Next
    ) async throws -> Response<ResponseBody> {
        guard let first = middleware.first else { return try await end(request) }
        return try await first.intercept(request, context: context) {
            try await send($0, through: middleware.dropFirst(), context, to: end)
        }
    }
}
