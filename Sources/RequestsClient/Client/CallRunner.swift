import Requests

/// Runs the calls of a client. Immutable, so that a call shares it instead of copying the configuration.
final class CallRunner: Sendable {
    let transport: any Transport
    let configuration: Client.Configuration
    let state: ClientState
    /// The settings of calls whose requests don't have their own. Without authentication.
    private let settings: CopyOnWrite<CallMachine.Settings>
    /// The same for each origin that has credentials.
    private let authenticatedSettings: [CopyOnWrite<CallMachine.Settings>]

    init(_ transport: any Transport, _ configuration: Client.Configuration, _ state: ClientState) {
        self.transport = transport
        self.configuration = configuration
        self.state = state
        var settings = CallMachine.Settings()
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
    func settings(authenticating url: RequestURL?) throws(RequestError) -> CopyOnWrite<CallMachine.Settings> {
        guard let url, let index = try configuration.credentials.index(for: url) else { return settings }
        return authenticatedSettings[index]
    }

    func response<R: PreparableRequest>(
        to input: R,
        progress: Progress? = nil
    ) async throws -> Response<R.Resource> {
        var call = try call(input)
        call.progress = progress.map { ProgressReporter($0, configuration) }
        let response = try await response(of: call)
        return response.replacing(try await content(of: response, call, input.responseDecoder))
    }

    /// Runs a call up to the end of the body.
    func response(of call: Call) async throws -> Response<Data> {
        do {
            return try await state.calls.run { [self] in
                let response = try await exchange(call)
                // It is in memory, unless middleware replaced it.
                let data = try await response.content.collect(upTo: call.settings.maximumBodyBytes)
                return response.replacingReadBody(with: data)
            }
        } catch {
            report(error, of: call)
            throw error
        }
    }

    /// Runs a call up to the head of the response, or to the `Commit` that `adjust` sets.
    ///
    /// - Parameter reportsFailure: Whether the listeners get an error of the call. If not, it is only logged.
    func stream(
        _ input: some PreparableRequest,
        reportsFailure: Bool = true,
        _ adjust: (inout CallMachine.Settings) -> Void = { _ in }
    ) async throws -> Response<ResponseBody> {
        var call = try call(input, reportsFailure: reportsFailure)
        call.settings.commit = .head
        adjust(&call.settings)
        do {
            var response = try await state.calls.run { [self, call] in try await exchange(call) }
            response.validation = CopyOnWrite(validation(of: call, input.responseDecoder.rules))
            call.logger?.succeeded(response.head, receivedBytes: nil, metrics: response.metrics)
            return response
        } catch {
            report(error, of: call, reportsFailure: reportsFailure)
            throw error
        }
    }

    /// The validation of responses to a call.
    func validation(of call: Call, _ rules: ResponseRules?) -> ResponseValidation {
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
