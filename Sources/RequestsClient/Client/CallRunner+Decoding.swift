import Requests

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

    private func awaiting<Resource: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Resource
    ) async throws -> Resource {
        try await state.calls.run { try await CallState.isolating(operation) }
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
