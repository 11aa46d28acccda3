import Requests

extension Client {
    /// Runs one call: builds its request, registers it for ``cancelAll()``, logs it, and reports its failure.
    ///
    /// - Parameters:
    ///   - reportsFailure: Whether the caller gets the error of this call. Otherwise it is only logged.
    ///   - operation: Sends the request, and more than once for some verbs.
    func perform<Result: Sendable>(
        _ input: some CallInput,
        reportsFailure: Bool = true,
        _ operation: (Outgoing, CallLogger?) async throws -> Result
    ) async throws -> Result {
        try await state.calls.run { [self] in
            let outgoing: Outgoing
            do {
                outgoing = try input.outgoing(configuration)
            } catch {
                log(error, unbuilt: input.description)
                if reportsFailure { report(error, of: nil, input.description) }
                throw error
            }
            let logger = makeLogger(outgoing.request, outgoing.policies)
            do {
                return try await operation(outgoing, logger)
            } catch {
                logger?.failed(error)
                if reportsFailure { report(error, of: outgoing.request, outgoing.request.description) }
                throw error
            }
        }
    }
}
