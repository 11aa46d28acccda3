import Requests

/// A call on its way to the transport.
extension CallRunner {
    /// Sends a call's request through the client's middleware.
    ///
    /// - Parameter hasOthers: Whether ``runsCodeOfOthers(for:)``.
    func exchange(_ call: PreparedCall, hasOthers: Bool) async throws -> Response<ResponseBody> {
        // Before middleware and policies edit the request, so that nothing is sent for one that can't be built.
        try call.request.validate()
        if let limit = configuration.maximumConcurrentCalls, !state.queue.isEntered {
            return try await state.queue.run(limit) {
                try await exchange(call, hasOthers: hasOthers)
            } waiting: { turn in
                try await call.state.timed(call.request, wake: state.calls.wake) {
                    do {
                        try await turn()
                    } catch {
                        throw call.state.reason ?? error
                    }
                }
            }
        }
        configuration.retryBudget?.addRequest()
        guard hasOthers || !transport.capabilities.contains(.callScopes) else {
            var run = try Call(call.request, of: call, self)
            return try await run.run()
        }
        return try await call.state.run { [self] in
            let layers = call.settings.isIntercepted ? configuration.middleware : []
            let context = CallContext(call, call.options, attempt: 1, self)
            return try await send(call.request, through: layers[...], context) { [self] in
                var run = try Call($0, of: call, self)
                return try await run.run()
            }
        }
    }

    /// Whether code of others, which doesn't look at the deadline, can run for a call. A transport limits itself.
    func runsCodeOfOthers(for call: PreparedCall) -> Bool {
        if case .flow = call.settings.authentication.scheme { return true }
        if let cache = configuration.cache, call.state.deadline.total != nil || !(cache is any ScopedMiddleware) {
            return true
        }
        guard call.settings.isIntercepted else { return false }
        return !configuration.middleware.isEmpty || !configuration.attemptMiddleware.isEmpty
    }

    /// Whether nothing is between a call and the transport.
    func isAlone(_ settings: CallSettings) -> Bool {
        configuration.cache == nil && (configuration.attemptMiddleware.isEmpty || !settings.isIntercepted)
    }

    /// Sends a request once, through the cache and attempt middleware.
    ///
    /// - Parameter identity: Whose credentials the request has, for the cache.
    @inline(never)
    func send(
        _ request: PreparedRequest,
        _ context: SendContext,
        _ identity: String?,
        _ call: PreparedCall,
        _ settings: CopyOnWrite<CallSettings>
    ) async throws -> Response<ResponseBody> {
        // Those that call middleware has set.
        let options =
            request.options == call.request.options
            ? call.options : request.options.filled(from: configuration.options)
        let callContext = CallContext(call, options, attempt: context.attempt, identity: identity, self)
        let layers = settings.value.isIntercepted ? configuration.attemptMiddleware : []
        let layersWithCache = configuration.cache.map { [$0] + layers } ?? layers
        return try await send(request, through: layersWithCache[...], callContext) { [self] request in
            var context = context
            context.remaining = try call.state.deadline.remaining(before: request)
            context.observer = call.observer(of: request)
            callContext.sent?.request.withLock { $0 = request }
            return try await transmit(request, context, call, settings)
        }
    }

    /// Gives a request to the transport, and notes whether the server may have acted on it. The only place that does.
    @inline(__always)
    func transmit(
        _ request: PreparedRequest,
        _ context: SendContext,
        _ call: PreparedCall,
        _ settings: CopyOnWrite<CallSettings>
    ) async throws -> Response<ResponseBody> {
        try call.state.begins(request)
        do {
            let response = try await transport.send(request, context: context)
            let status = response.head.statusCode
            // The server didn't act on these (RFC 9110 §15.5.2, §10.1.1).
            let isUnprocessed = settings.value.retries.unprocessedStatuses.contains(status)
            call.state.ended(status != 401 && status != 417 && !isUnprocessed)
            return response
        } catch {
            call.state.ended((error as? TransportError)?.requestMayHaveBeenProcessed ?? true)
            throw error
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
        try await CallState.isolating { try await clock.sleep(for: min(delay, Timeouts.unlimited)) }
    }
}
