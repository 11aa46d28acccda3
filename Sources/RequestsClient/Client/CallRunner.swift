import Requests

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
        settings.authentication = .none
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
        progress: Progress? = nil
    ) async throws -> Response<R.Resource> {
        var call = try call(input)
        call.progress = progress.map { ProgressReporter($0, configuration) }
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
    private let lastCall = Locked<UInt64>(0)

    /// A number for the log events of one call.
    func nextCall() -> UInt64 {
        lastCall.withLock { number in
            number += 1
            return number
        }
    }
}
