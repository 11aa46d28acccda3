import Requests

extension CallRunner {
    /// - Parameter reportsFailure: Whether the caller gets the error.
    func stream(_ input: some CallInput, reportsFailure: Bool = true) async throws -> Response<ResponseBody> {
        let call = try call(input, collectsBody: false, reportsFailure: reportsFailure)
        do {
            var response = try await state.calls.run { [self] in try await exchange(call.request, call) }
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
            maximumBodyBytes: call.maximumBodyBytes,
            describe: { $0.describing(call) }
        )
    }
}
