import Foundation
import Requests

/// Runs the calls of a client. Immutable, so that a call shares it instead of copying the configuration.
final class CallRunner: Sendable {
    let transport: any Transport
    let configuration: Client.Configuration
    let state: ClientState
    /// What holds for calls whose requests don't say anything else.
    let settings: Shared<CallMachine.Settings>

    init(_ transport: any Transport, _ configuration: Client.Configuration, _ state: ClientState) {
        self.transport = transport
        self.configuration = configuration
        self.state = state
        var settings = CallMachine.Settings()
        settings.redirects = configuration.redirects
        settings.retries = configuration.retries
        settings.authentication = configuration.authentication.inheriting(.none)
        settings.total = configuration.timeouts.total
        settings.maximumBodyBytes = configuration.maximumBodyBytes
        settings.commit = .end(maximumBytes: configuration.maximumBodyBytes)
        self.settings = Shared(settings)
    }

    func response<Input: CallInput>(to input: Input) async throws -> Response<Input.Resource> {
        let call = try call(input)
        let response = try await response(of: call)
        let content = try await content(of: response, call, input.decoder)
        return response.replacing(content)
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

    /// Runs a call up to the head of the response, or to the commit point that `adjust` sets.
    ///
    /// - Parameter reportsFailure: Whether the caller gets the error of this call. Otherwise it is only logged.
    func stream(
        _ input: some CallInput,
        reportsFailure: Bool = true,
        _ adjust: (inout CallMachine.Settings) -> Void = { _ in }
    ) async throws -> Response<ResponseBody> {
        var call = try call(input, reportsFailure: reportsFailure)
        call.adjust { settings in
            settings.commit = .head
            adjust(&settings)
        }
        do {
            var response = try await state.calls.run { [self, call] in try await exchange(call) }
            response.validation = validation(of: call, input.decoder.rules)
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
