import Requests

extension Client {
    /// A call that failed.
    public struct Failure: Sendable, CustomStringConvertible, CustomReflectable {
        /// The request of the call, without credentials of an authentication provider. `nil` if it couldn't be built.
        public let request: PreparedRequest?

        /// The error that the caller gets.
        public let error: any Error

        /// The request and the error. Errors of others are shown by their type only, because they may contain secrets.
        public let description: String

        /// The same as ``description``.
        public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
    }

    /// Returns the calls that fail from now on.
    ///
    /// Keeps the last 100 for a slow listener, including their requests and so their bodies in memory. Canceled calls
    /// aren't failures. The sequence ends when the last copy of the client is dropped.
    public func failures() -> AsyncStream<Failure> { state.failures.makeStream() }

    /// Tells the listeners about an error that the caller gets.
    func report(_ error: any Error, of request: PreparedRequest?, _ description: @autoclosure () -> String) {
        guard !(error is CancellationError), configuration.onFailure != nil || !state.failures.isEmpty else { return }
        let failure = Failure(
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
