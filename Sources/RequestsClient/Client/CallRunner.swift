import Foundation
import Requests

/// Runs the calls of a client. Immutable, so that a call shares it instead of copying the configuration.
final class CallRunner: Sendable {
    let transport: any Transport
    let configuration: Client.Configuration
    let state: ClientState

    init(_ transport: any Transport, _ configuration: Client.Configuration, _ state: ClientState) {
        self.transport = transport
        self.configuration = configuration
        self.state = state
    }

    func response<Input: CallInput>(to input: Input) async throws -> Response<Input.Resource> {
        let call = try call(input, collectsBody: true)
        let response = try await response(of: call)
        let content = try await content(of: response, call, input.decoder)
        return response.replacing(content)
    }

    /// Sends a request through all policies and collects the body.
    func response(of call: Call) async throws -> Response<Data> {
        do {
            return try await state.calls.run { try await collect(call) }
        } catch {
            report(error, of: call)
            throw error
        }
    }

    /// Decodes away from the caller's actor, because decoding takes processor time.
    @concurrent
    func content<Resource>(
        of response: Response<Data>,
        _ call: Call,
        _ decoder: ResponseDecoder<Resource>
    ) async throws -> Resource {
        do {
            let content =
                switch try decoding(response, decoder) {
                case .value(let resource): resource
                case .pending(let wait): try await awaiting(wait)
                }
            call.logger?.succeeded(response.head, receivedBytes: response.content.count, metrics: response.metrics)
            return content
        } catch {
            let error = (error as? ResponseError)?.describing(call) ?? error
            report(error, of: call)
            throw error
        }
    }

    /// Sends a request through all policies and collects the body.
    private func collect(_ call: Call) async throws -> Response<Data> {
        let response = try await exchange(call.request, call)
        let data = try await response.collect(upTo: call.maximumBodyBytes, of: call.request.method)
        return response.replacingReadBody(with: data)
    }

    private func awaiting<Resource: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Resource
    ) async throws -> Resource {
        try await state.calls.run { try await CallScope.isolating(operation) }
    }

    private func decoding<Resource>(
        _ response: Response<Data>,
        _ decoder: ResponseDecoder<Resource>
    ) throws -> Decoding<Resource> {
        let json = JSONCoders.standard.decoder
        let rules = decoder.rules ?? ResponseRules()
        try rules.check(response.head, response.content, json, or: configuration.validation.accepts)
        return try decoder.read(response.head, response.content, json)
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
