import Requests
import Synchronization

extension CallRunner {
    /// Sends a request through the client's middleware and all policies.
    func exchange(_ request: PreparedRequest, _ call: Call) async throws -> Response<ResponseBody> {
        // Before middleware and policies edit the request, so that nothing is sent for one that can't be built.
        try request.validate()
        guard !configuration.middleware.isEmpty, call.isIntercepted else {
            return try await redirecting(request, call)
        }
        return try await intercepting(request, call)
    }

    private func intercepting(_ request: PreparedRequest, _ call: Call) async throws -> Response<ResponseBody> {
        var call = call
        call.hasBegun = true
        return try await send(request, through: configuration.middleware, context(call, attempt: 1)) { [self, call] in
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
        case .immediate(let authenticate):
            let stored = (url: request.url, cookie: request.header[.cookie])
            try authenticate(&request)
            moveCookies(of: &request, from: stored.url, stored.cookie, own: ownCookie)
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
        var response = try await sending(request, call, attempt)
        // The transport doesn't know which query items of the request's URL are secret.
        response.head.url = response.head.url.redacting(sameAs: request.url)
        call.logger?.receives(response.head)
        keepCookies(of: response.head, to: request)
        return response
    }

    private func sending(
        _ request: PreparedRequest,
        _ call: Call,
        _ attempt: Int
    ) async throws -> Response<ResponseBody> {
        if !configuration.exchangeMiddleware.isEmpty, call.isIntercepted {
            let context = context(call, attempt: attempt)
            return try await send(request, through: configuration.exchangeMiddleware, context) { [transport] in
                var request = $0
                try call.limit(&request)
                return try await transport.send(request)
            }
        }
        guard transport.capabilities.contains(.callScopes) else {
            return try await CallScope.isolating { [transport] in try await transport.send(request) }
        }
        return try await transport.send(request)
    }

    private func context(_ call: Call, attempt: Int) -> CallContext {
        CallContext(call, attempt: attempt, self)
    }

    private func send(
        _ request: PreparedRequest,
        through middleware: [any Middleware],
        _ context: CallContext,
        to end: @escaping Middleware.Next
    ) async throws -> Response<ResponseBody> {
        let isSent = Atomic(false)
        let operation: @Sendable () async throws -> Response<ResponseBody> = { [self] in
            try await send(request, through: middleware[...], context) { request in
                isSent.store(true, ordering: .relaxed)
                return try await end(request)
            }
        }
        return try await CallScope.isolating {
            guard let deadline = context.deadline else { return try await operation() }
            return try await deadline.limiting(request.url, isSent: { isSent.load(ordering: .relaxed) }, operation)
        }
    }

    private func send(
        _ request: PreparedRequest,
        through middleware: ArraySlice<any Middleware>,
        _ context: CallContext,
        to end: @escaping Middleware.Next
    ) async throws -> Response<ResponseBody> {
        guard let first = middleware.first else { return try await end(request) }
        return try await first.intercept(request, context: context) { [self] in
            try await send($0, through: middleware.dropFirst(), context, to: end)
        }
    }
}
