import Requests
import Synchronization

/// Runs the calls of a client. Immutable, so that a call shares it instead of copying the configuration.
final class CallRunner: Sendable {
    let transport: any Transport
    let configuration: Client.Configuration
    let state: ClientState
    /// Whether the transport ends with its call, so that it needs no separate task.
    private let transportEndsWithCall: Bool
    private let transportOptions: CallOptions
    /// The policies of calls whose requests don't have their own. Without authentication.
    private let policies: Policies
    /// The same for each origin that has credentials.
    private let authenticatedPolicies: [Policies]

    init(_ transport: any Transport, _ configuration: Client.Configuration, _ state: ClientState) {
        (self.transport, self.configuration, self.state) = (transport, configuration, state)
        transportEndsWithCall = transport.endsWithCall
        let options = configuration.options
        transportOptions = options.forTransport
        policies = Policies(options, .none)
        authenticatedPolicies = configuration.credentials.providers.map { Policies(options, $0.inheriting(.none)) }
    }

    /// Returns the policies of a call whose request doesn't have its own.
    ///
    /// - Parameter url: The URL whose credentials of the client are added. `nil` adds none.
    func policies(authenticating url: RequestURL?) throws(RequestError) -> Policies {
        guard let url, let index = try configuration.credentials.index(for: url) else { return policies }
        return authenticatedPolicies[index]
    }

    /// Adds the client's options to a request, as far as its transport needs them.
    ///
    /// - Returns: All options: the request's over the client's.
    func complete(_ request: inout PreparedRequest) -> CallOptions {
        let options = request.options.merging(configuration.options)
        let sent = request.options.merging(transportOptions)
        if !sent.isIdentical(to: request.options) { request.options = sent }
        request.apply(options)
        return options
    }

    /// Begins a call. If its request can't be built, logs and reports the error.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - reportsFailure: Whether the listeners get an error of the call. If not, it is only logged.
    func plan(
        _ input: some PreparableRequest,
        goal: Goal = .body,
        progress: Progress? = nil,
        through innermost: (any Middleware)? = nil,
        reportsFailure: Bool = true
    ) throws -> CallPlan {
        do {
            return try CallPlan(input, self, goal: goal, progress: progress, through: innermost)
        } catch {
            makeLogger(nil, input.description)?.failed(error)
            if reportsFailure { report(error, of: nil, input.description) }
            throw error
        }
    }

    /// Runs a call up to its decoded response.
    func response<Resource>(
        to plan: CallPlan,
        decodedBy decoder: ResponseDecoder<Resource>
    ) async throws -> Response<Resource> {
        let response = try await run(plan) { try await CallRunner.collect($0, plan) }
        return response.replacing(try await content(of: response, plan, decoder))
    }

    func response<R: PreparableRequest>(to input: R) async throws -> Response<R.Resource> {
        try await response(to: plan(input), decodedBy: input.responseDecoder)
    }

    /// Reads the body of a response. It is in memory already, unless middleware replaced it.
    static func collect(_ response: Response<ResponseBody>, _ plan: CallPlan) async throws -> Response<Data> {
        let limit = response.content.isInMemory(upTo: .max) ? .max : plan.policies.maximumBodyBytes
        let data = try await response.content.collect(upTo: limit)
        return response.replacingReadBody(with: data)
    }

    /// Runs a call whose caller reads the body.
    ///
    /// - Parameters:
    ///   - rules: The rules of the request's decoder.
    ///   - reportsFailure: Whether the listeners get an error of the call. If not, it is only logged.
    func stream(
        _ plan: CallPlan,
        _ rules: ResponseRules?,
        reportsFailure: Bool = true
    ) async throws -> Response<ResponseBody> {
        var response = try await run(plan, reportsFailure: reportsFailure) { $0 }
        response.validation = CopyOnWrite(validation(of: plan, rules))
        plan.logger?.succeeded(response.head, receivedBytes: nil, metrics: response.metrics)
        return response
    }

    /// Runs a call to its end, so that it can be canceled with the client's others. Logs and reports its error, which
    /// says whether the server may have acted on any of its requests.
    ///
    /// - Parameter finish: Reads the rest of the response.
    func run<Result>(
        _ plan: CallPlan,
        reportsFailure: Bool = true,
        _ finish: (Response<ResponseBody>) async throws -> Result
    ) async throws -> Result {
        let position = state.calls.add(plan.state)
        defer { state.calls.remove(position) }
        let hasOthers = plan.runsCodeOfOthers
        // A call that waits only for transports needs no timer, because they limit themselves.
        let needsTimer = hasOthers || configuration.maximumConcurrentCalls != nil
        let timer = needsTimer ? plan.state.startTimer(for: plan.request, wake: state.calls.wake) : nil
        defer { plan.state.stopTimer(timer) }
        do {
            return try await CallState.$current.withValue(plan.state) {
                try await finish(sendThroughMiddleware(plan, hasOthers: hasOthers))
            }
        } catch {
            // What ended the call says more than the cancellation of what waited in it.
            let reason = error is CancellationError ? plan.state.reason : nil
            let error = plan.state.reporting(reason ?? error)
            report(error, of: plan, reportsFailure: reportsFailure)
            throw error
        }
    }

    /// The validation of responses to a call.
    func validation(of plan: CallPlan, _ rules: ResponseRules?) -> ResponseValidation {
        ResponseValidation(
            rules: rules,
            accepts: configuration.validation.accepts,
            maximumBodyBytes: plan.policies.maximumBodyBytes,
            describe: { $0.describing(plan) }
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
    /// What modules above remember about servers.
    let facts = Locked<[RequestURL: any Sendable]>([:])
    private let lastCall = Atomic<UInt64>(0)

    /// A number for the log events of one call.
    func nextCall() -> UInt64 { lastCall.add(1, ordering: .relaxed).newValue }
}

/// A call on its way to the transport.
extension CallRunner {
    /// Sends a call's request through the client's middleware.
    ///
    /// - Parameter hasOthers: Whether ``CallPlan/runsCodeOfOthers``.
    private func sendThroughMiddleware(_ plan: CallPlan, hasOthers: Bool) async throws -> Response<ResponseBody> {
        // Before middleware and policies edit the request, so that nothing is sent for one that can't be built.
        try plan.request.validate()
        if let limit = configuration.maximumConcurrentCalls, !state.queue.isEntered {
            return try await state.queue.run(limit) { try await sendThroughMiddleware(plan, hasOthers: hasOthers) }
        }
        configuration.retryBudget?.addRequest()
        guard hasOthers else {
            var call = Call(plan)
            return try await call.run()
        }
        return try await CallState.isolating(endsCall: true) { [self] in
            let context = plan.context(for: plan.request, attempt: 1)
            return try await send(plan.request, through: plan.middleware[...], context) {
                var call = Call(try plan.passing($0))
                return try await call.run()
            }
        }
    }

    /// Sends a request once, through attempt middleware.
    @inline(never)
    func send(
        _ request: PreparedRequest,
        _ context: SendContext,
        _ plan: CallPlan,
        _ sent: SentRequest?
    ) async throws -> Response<ResponseBody> {
        let callContext = plan.context(for: request, attempt: context.attempt)
        return try await send(request, through: configuration.attemptMiddleware[...], callContext) { [self] passedOn in
            if !passedOn.isIdentical(to: request) { try passedOn.validate() }
            try context.deadline.check(before: passedOn)
            var context = context
            context.observer = plan.observer(of: passedOn)
            return try await transmit(passedOn, context, plan, sent)
        }
    }

    /// Gives a request to the transport, and notes whether it may have been processed. The only place that does.
    ///
    /// - Parameter sent: Remembers the request for the cache.
    @inline(__always)
    func transmit(
        _ request: PreparedRequest,
        _ context: SendContext,
        _ plan: CallPlan,
        _ sent: SentRequest?
    ) async throws -> Response<ResponseBody> {
        try plan.state.begins(request)
        sent?.transmitted.withLock { $0.append(request) }
        do {
            let response =
                transportEndsWithCall
                ? try await transport.send(request, context: context)
                : try await CallState.isolating { [transport] in try await transport.send(request, context: context) }
            let status = response.head.statusCode
            // The server didn't act on these (RFC 9110 §15.5.2, §10.1.1).
            let isUnprocessed = plan.policies.retries.unprocessedStatuses.contains(status)
            plan.state.ended(mayHaveBeenProcessed: status != 401 && status != 417 && !isUnprocessed)
            return response
        } catch {
            let transportError = error as? TransportError
            plan.state.ended(mayHaveBeenProcessed: transportError?.requestMayHaveBeenProcessed ?? true)
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
}

extension CallRunner {
    /// Decodes away from the caller's actor, because decoding takes processor time.
    @concurrent
    func content<Resource>(
        of response: Response<Data>,
        _ plan: CallPlan,
        _ decoder: ResponseDecoder<Resource>
    ) async throws -> Resource {
        do {
            let content =
                switch try decoding(response, decoder) {
                case .value(let resource): resource
                case .pending(let wait): try await state.calls.run { try await CallState.isolating(wait) }
                }
            let count = Int64(response.content.count)
            plan.logger?.succeeded(response.head, receivedBytes: count, metrics: response.metrics)
            return content
        } catch {
            let error = (error as? ResponseError)?.describing(plan) ?? error
            report(error, of: plan)
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
    /// Logs and reports the failure of a call.
    func report(_ error: any Error, of plan: CallPlan, reportsFailure: Bool = true) {
        plan.logger?.failed(error)
        if reportsFailure { report(error, of: plan.request, plan.request.description) }
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
    func makeLogger(
        _ request: PreparedRequest?,
        _ description: @autoclosure () -> String,
        _ unredactedNames: @autoclosure () -> Set<Field.Name> = []
    ) -> CallLogger? {
        configuration.log.receive.map {
            CallLogger(request, description(), unredactedNames(), number: state.nextCall(), configuration.clock, $0)
        }
    }
}
