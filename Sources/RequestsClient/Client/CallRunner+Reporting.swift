import Requests

extension CallRunner {
    /// Tells the listeners about an error that the caller gets.
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

    /// Makes the logger of a call. `nil` if there is no log.
    func makeLogger(_ request: PreparedRequest, _ policies: CallPolicies) -> CallLogger? {
        configuration.log.receive.map {
            CallLogger(request, policies, number: state.nextCall(), configuration.clock, $0)
        }
    }

    /// Logs a request that couldn't be built.
    func log(_ error: any Error, unbuilt description: @autoclosure () -> String) {
        guard let receive = configuration.log.receive else { return }
        let logger = CallLogger(unbuilt: description(), number: state.nextCall(), configuration.clock, receive)
        logger.failed(error)
    }
}
