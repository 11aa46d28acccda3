import Requests
import Synchronization

/// The waits of a call: for the code of callers, which ends with the call's time, and for transports.
extension CallRunner {
    /// Sends a call's request through the client's middleware.
    func exchange(_ call: Call) async throws -> Response<ResponseBody> {
        // Before middleware and policies edit the request, so that nothing is sent for one that can't be built.
        try call.request.validate()
        if let limit = configuration.maximumConcurrentCalls, !state.queue.isEntered {
            return try await state.queue.run(limit) {
                try await exchange(call)
            } waiting: { wait in
                try await limited(call.request.url, call, wait)
            }
        }
        configuration.retryBudget?.addRequest()
        guard !configuration.middleware.isEmpty, call.isIntercepted else {
            return try await drive(call.request, of: call)
        }
        return try await send(call.request, through: configuration.middleware, attempt: 1, call) { [self] in
            try await drive($0, of: call)
        }
    }

    /// Whether nothing is between a call and the transport.
    func isAlone(with call: Call) -> Bool {
        configuration.cache == nil && (configuration.attemptMiddleware.isEmpty || !call.isIntercepted)
            && transport.capabilities.contains(.callScopes)
    }

    /// Sends a request once, through middleware or over a transport that doesn't know scopes.
    ///
    /// - Parameter identity: Whose credentials the request has, for the cache.
    @inline(never)
    func send(
        _ request: PreparedRequest,
        _ context: SendContext,
        _ identity: String?,
        _ call: Call
    ) async throws -> Response<ResponseBody> {
        if let cache = configuration.cache { return try await send(request, context, identity, through: cache, call) }
        return try await send(request, context, below: nil, call)
    }

    /// Sends a request through the cache, which needs a separate task only if the call has a total timeout.
    private func send(
        _ request: PreparedRequest,
        _ context: SendContext,
        _ identity: String?,
        through cache: any Middleware,
        _ call: Call
    ) async throws -> Response<ResponseBody> {
        let callContext = CallContext(call, attempt: context.attempt, identity: identity, self)
        let next: Middleware.Next = { [self] request in
            var context = context
            context.remaining = try call.remaining(before: request)
            context.observer = call.observer(of: request)
            return try await send(request, context, below: callContext.sent, call)
        }
        if call.settings.total == nil, cache is any ScopedMiddleware {
            return try await cache.intercept(request, context: callContext, next: next)
        }
        return try await limited(request.url, call) {
            try await cache.intercept(request, context: callContext, next: next)
        }
    }

    /// - Parameter sent: Remembers the request that the transport gets. `nil` without a cache.
    private func send(
        _ request: PreparedRequest,
        _ context: SendContext,
        below sent: SentRequest?,
        _ call: Call
    ) async throws -> Response<ResponseBody> {
        let middleware = call.isIntercepted ? configuration.attemptMiddleware : []
        guard !middleware.isEmpty else {
            sent?.request.withLock { $0 = request }
            if transport.capabilities.contains(.callScopes) {
                return try await transport.send(request, context: context)
            }
            return try await CallScope.isolating { [transport] in
                try await transport.send(request, context: context)
            }
        }
        return try await send(request, through: middleware, attempt: context.attempt, call) { [transport] request in
            var context = context
            context.remaining = try call.remaining(before: request)
            context.observer = call.observer(of: request)
            sent?.request.withLock { $0 = request }
            return try await transport.send(request, context: context)
        }
    }

    func start(
        _ flow: any AuthenticationFlow,
        _ request: PreparedRequest,
        _ call: Call
    ) async throws -> (flow: any AuthenticationFlow, request: PreparedRequest) {
        try await limited(request.url, call) {
            var (flow, request) = (flow, request)
            try await flow.start(&request)
            return (flow, request)
        }
    }

    func next(
        of flow: any AuthenticationFlow,
        after head: ResponseHead,
        _ call: Call
    ) async throws -> (flow: any AuthenticationFlow, step: AuthenticationProvider.Step) {
        try await limited(head.url, call) {
            var flow = flow
            let step = try await flow.next(after: head)
            return (flow, step)
        }
    }

    private func send(
        _ request: PreparedRequest,
        through middleware: [any Middleware],
        attempt: Int,
        _ call: Call,
        to end: @escaping Middleware.Next
    ) async throws -> Response<ResponseBody> {
        let isSent = Atomic(false)
        let context = CallContext(call, attempt: attempt, self)
        return try await limited(request.url, call, isSent: { isSent.load(ordering: .relaxed) }) { [self] in
            try await send(request, through: middleware[...], context) { request in
                isSent.store(true, ordering: .relaxed)
                return try await end(request)
            }
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

    /// Waits before a request is sent again.
    static func wait(for delay: Duration, on clock: any Clock<Duration>) async throws {
        try await CallScope.isolating { try await clock.sleep(for: min(delay, Timeouts.unlimited)) }
    }

    /// Runs code of others, with a total timeout in a separate task, so that the call ends even if the code doesn't.
    ///
    /// - Parameter isSent: Returns whether the operation has sent the request.
    private func limited<Value: Sendable>(
        _ url: RequestURL,
        _ call: Call,
        isSent: @escaping @Sendable () -> Bool = { false },
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await CallScope.isolating { [clock = configuration.clock] in
            guard let total = call.settings.total, let remaining = call.remaining else { return try await operation() }
            let promise = Promise<Value>()
            let running = Task {
                do {
                    promise.give(.success(try await operation()))
                } catch {
                    promise.give(.failure(error))
                }
            }
            let timer = Task {
                // A canceled timer gives nothing, because the operation ends by itself.
                guard (try? await clock.sleep(for: remaining)) != nil else { return }
                var error = TransportError.timedOut(total, url)
                error.requestMayHaveBeenProcessed = isSent()
                promise.give(.failure(error))
            }
            defer {
                running.cancel()
                timer.cancel()
            }
            return try await withTaskCancellationHandler {
                try await promise.take()
            } onCancel: {
                running.cancel()
            }
        }
    }
}

/// The flow of calls without one.
struct NoFlow: AuthenticationFlow {
    func start(_ request: inout PreparedRequest) {}
}
