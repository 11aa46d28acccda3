import Requests
import Synchronization

/// Runs the calls of a client. Immutable, so that a call shares it instead of copying the configuration.
final class CallRunner: Sendable {
    let transport: any Transport
    let configuration: Client.Configuration
    let state: ClientState
    /// The settings of calls whose requests don't have their own. Without authentication.
    private let settings: CopyOnWrite<CallSettings>
    /// The same for each origin that has credentials.
    private let authenticatedSettings: [CopyOnWrite<CallSettings>]

    init(_ transport: any Transport, _ configuration: Client.Configuration, _ state: ClientState) {
        self.transport = transport
        self.configuration = configuration
        self.state = state
        var settings = CallSettings()
        settings.set(configuration.options)
        self.settings = CopyOnWrite(settings)
        authenticatedSettings = configuration.credentials.providers.map { provider in
            settings.authentication = provider.inheriting(.none)
            return CopyOnWrite(settings)
        }
    }

    /// Returns the settings of a call whose request doesn't have its own.
    ///
    /// - Parameter url: The URL whose credentials of the client are added. `nil` adds none.
    func settings(authenticating url: RequestURL?) throws(RequestError) -> CopyOnWrite<CallSettings> {
        guard let url, let index = try configuration.credentials.index(for: url) else { return settings }
        return authenticatedSettings[index]
    }

    func response<R: PreparableRequest>(
        to input: R,
        progress: Progress? = nil,
        through innermost: (any Middleware)? = nil
    ) async throws -> Response<R.Resource> {
        let call = try call(input, progress: progress, through: innermost)
        let response = try await run(call) { try await CallRunner.collect($0, call) }
        return response.replacing(try await content(of: response, call, input.responseDecoder))
    }

    /// Reads the body of a response. It is in memory already, unless middleware replaced it.
    static func collect(_ response: Response<ResponseBody>, _ call: PreparedCall) async throws -> Response<Data> {
        let limit = response.content.isInMemory(upTo: .max) ? .max : call.settings.maximumBodyBytes
        let data = try await response.content.collect(upTo: limit)
        return response.replacingReadBody(with: data)
    }

    /// Runs a call up to the head of the response, or to the `Commit` that `adjust` sets.
    ///
    /// - Parameter reportsFailure: Whether the listeners get an error of the call. If not, it is only logged.
    func stream(
        _ input: some PreparableRequest,
        reportsFailure: Bool = true,
        _ adjust: (inout CallSettings) -> Void = { _ in }
    ) async throws -> Response<ResponseBody> {
        var call = try call(input, reportsFailure: reportsFailure)
        call.settings.commit = .head
        adjust(&call.settings)
        var response = try await run(call, reportsFailure: reportsFailure) { $0 }
        response.validation = CopyOnWrite(validation(of: call, input.responseDecoder.rules))
        call.logger?.succeeded(response.head, receivedBytes: nil, metrics: response.metrics)
        return response
    }

    /// Runs a call to its end, so that it can be canceled with the client's others. Logs and reports its error, which
    /// says whether the server may have acted on any of its requests.
    ///
    /// - Parameter finish: Reads the rest of the response.
    func run<Result>(
        _ call: PreparedCall,
        reportsFailure: Bool = true,
        _ finish: (Response<ResponseBody>) async throws -> Result
    ) async throws -> Result {
        let position = state.calls.add(call.state)
        defer { state.calls.remove(position) }
        do {
            return try await CallState.$current.withValue(call.state) {
                guard runsCodeOfOthers(for: call) else { return try await finish(exchange(call, hasOthers: false)) }
                return try await call.state.timed(call.request, wake: state.calls.wake) {
                    try await finish(exchange(call, hasOthers: true))
                }
            }
        } catch {
            // What ended the call says more than the cancellation of what waited in it.
            let reason = error is CancellationError ? call.state.reason : nil
            let error = call.state.claiming(reason ?? error)
            report(error, of: call, reportsFailure: reportsFailure)
            throw error
        }
    }

    /// The validation of responses to a call.
    func validation(of call: PreparedCall, _ rules: ResponseRules?) -> ResponseValidation {
        ResponseValidation(
            rules: rules,
            accepts: configuration.validation.accepts,
            maximumBodyBytes: call.settings.maximumBodyBytes,
            describe: { $0.describing(call) }
        )
    }
}

/// The state that the copies of a client share.
final class ClientState: Sendable {
    let calls = RunningCalls()
    let queue = CallQueue()
    /// Work that outlives its call, such as the revalidation of a response that was returned.
    let background = RunningCalls()
    let failures = FailureListeners()
    private let lastCall = Atomic<UInt64>(0)

    /// A number for the log events of one call.
    func nextCall() -> UInt64 { lastCall.add(1, ordering: .relaxed).newValue }
}

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
                try await call.state.timed(call.request, wake: state.calls.wake, turn)
            }
        }
        configuration.retryBudget?.addRequest()
        guard hasOthers else {
            var run = try Call(call.request, of: call, self)
            return try await run.run()
        }
        return try await call.state.run { [self] in
            var layers = call.settings.isIntercepted ? configuration.middleware : []
            if let innermost = call.innermost { layers.append(innermost) }
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
        if let cache = configuration.cache, call.state.deadline.total != nil || !(cache is any ScopedCache) {
            return true
        }
        if call.innermost != nil { return true }
        guard call.settings.isIntercepted else { return false }
        return !configuration.middleware.isEmpty || !configuration.attemptMiddleware.isEmpty
    }

    /// Sends a request once, through attempt middleware.
    @inline(never)
    func send(
        _ request: PreparedRequest,
        _ context: SendContext,
        _ plan: CallPlan,
        _ sent: SentRequest?
    ) async throws -> Response<ResponseBody> {
        let options = plan.call.options(of: request, self)
        let callContext = CallContext(plan.call, options, attempt: context.attempt, self)
        return try await send(request, through: configuration.attemptMiddleware[...], callContext) { [self] request in
            var context = context
            context.remaining = try plan.call.state.deadline.remaining(before: request)
            context.observer = plan.observer(of: request)
            return try await transmit(request, context, plan, sent)
        }
    }

    /// Gives a request to the transport, and notes whether the server may have acted on it. The only place that does.
    ///
    /// - Parameter sent: Remembers the request for the cache.
    @inline(__always)
    func transmit(
        _ request: PreparedRequest,
        _ context: SendContext,
        _ plan: CallPlan,
        _ sent: SentRequest?
    ) async throws -> Response<ResponseBody> {
        let state = plan.call.state
        try state.begins(request)
        sent?.transmitted.withLock { $0.append(request) }
        do {
            let response =
                type(of: transport).endsWithCalls
                ? try await transport.send(request, context: context)
                : try await transport.sendWithCall(request, context: context)
            let status = response.head.statusCode
            // The server didn't act on these (RFC 9110 §15.5.2, §10.1.1).
            let isUnprocessed = plan.settings.value.retries.unprocessedStatuses.contains(status)
            state.ended(status != 401 && status != 417 && !isUnprocessed)
            return response
        } catch {
            state.ended((error as? TransportError)?.requestMayHaveBeenProcessed ?? true)
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

extension CallRunner {
    /// Decodes away from the caller's actor, because decoding takes processor time.
    @concurrent
    func content<Resource>(
        of response: Response<Data>,
        _ call: PreparedCall,
        _ decoder: ResponseDecoder<Resource>
    ) async throws -> Resource {
        do {
            let content =
                switch try decoding(response, decoder) {
                case .value(let resource): resource
                case .pending(let wait): try await state.calls.run { try await CallState.isolating(wait) }
                }
            call.logger?.succeeded(response.head, receivedBytes: response.content.count, metrics: response.metrics)
            return content
        } catch {
            let error = (error as? ResponseError)?.describing(call) ?? error
            report(error, of: call)
            throw error
        }
    }

    private func decoding<Resource>(
        _ response: Response<Data>,
        _ decoder: ResponseDecoder<Resource>
    ) throws -> Decoding<Resource> {
        let (json, accepts) = (JSONCoders.standard.decoder, configuration.validation.accepts)
        try (decoder.rules ?? ResponseRules()).check(response.head, response.content, json, or: accepts)
        return try decoder.read(response.head, response.content, json)
    }
}

extension CallRunner {
    /// Begins a call. If its request can't be built, logs and reports the error.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - reportsFailure: Whether the listeners get an error of the call. If not, it is only logged.
    func call(
        _ input: some PreparableRequest,
        progress: Progress? = nil,
        through innermost: (any Middleware)? = nil,
        reportsFailure: Bool = true
    ) throws -> PreparedCall {
        do {
            var call = try PreparedCall(input, self)
            (call.progress, call.innermost) = (progress.map { ProgressReporter($0, configuration) }, innermost)
            call.logger = makeLogger(call.request, call.request.description, call.options.unredactedNames)
            return call
        } catch {
            makeLogger(nil, input.description)?.failed(error)
            if reportsFailure { report(error, of: nil, input.description) }
            throw error
        }
    }

    /// Logs and reports the failure of a call.
    func report(_ error: any Error, of call: PreparedCall, reportsFailure: Bool = true) {
        call.logger?.failed(error)
        if reportsFailure { report(error, of: call.request, call.request.description) }
    }

    /// Reports an error that the caller gets to the listeners.
    func report(_ error: any Error, of request: PreparedRequest?, _ description: @autoclosure () -> String) {
        guard !(error is CancellationError), configuration.onFailure != nil || !state.failures.isEmpty else { return }
        let failure = Client.Failure(
            request: request,
            error: error,
            description: "\(description()): \(Redaction.reason(error))"
        )
        configuration.onFailure?(failure)
        state.failures.report(failure)
    }

    /// Logs the start of a call. Returns `nil` if there is no log.
    ///
    /// - Parameter request: The request. `nil` if it couldn't be built.
    private func makeLogger(
        _ request: PreparedRequest?,
        _ description: @autoclosure () -> String,
        _ unredactedNames: @autoclosure () -> Set<Field.Name> = []
    ) -> CallLogger? {
        configuration.log.receive.map {
            CallLogger(request, description(), unredactedNames(), number: state.nextCall(), configuration.clock, $0)
        }
    }
}
