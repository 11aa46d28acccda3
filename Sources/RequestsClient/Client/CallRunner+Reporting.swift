import Requests

extension CallRunner {
    /// Begins a call. If its request can't be built, logs and reports the error.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - reportsFailure: Whether the listeners get an error of the call. If not, it is only logged.
    func call(_ input: some PreparableRequest, reportsFailure: Bool = true) throws -> PreparedCall {
        do {
            var call = try PreparedCall(input, self)
            call.logger = makeLogger(call)
            return call
        } catch {
            log(error, unbuilt: input.description)
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

    /// Returns the logger of a call. `nil` if there is no log.
    private func makeLogger(_ call: PreparedCall) -> CallLogger? {
        configuration.log.receive.map {
            CallLogger(call.request, call.options, number: state.nextCall(), configuration.clock, $0)
        }
    }

    /// Logs a request that couldn't be built.
    private func log(_ error: any Error, unbuilt description: @autoclosure () -> String) {
        guard let receive = configuration.log.receive else { return }
        let logger = CallLogger(unbuilt: description(), number: state.nextCall(), configuration.clock, receive)
        logger.failed(error)
    }
}
