import Requests

extension CallRunner {
    /// Begins a call. Logs and reports a failure to build its request.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - collectsBody: Whether the body is read as part of the call.
    ///   - reportsFailure: Whether the caller gets the error of this call. Otherwise it is only logged.
    func call(_ input: some CallInput, collectsBody: Bool, reportsFailure: Bool = true) throws -> Call {
        try call(input.description, collectsBody, reportsFailure) { try input.call(by: self) }
    }

    /// Begins the call of a request whose response is decoded.
    func call(_ request: some RequestConvertible) throws -> Call {
        try call(request.description, true, true) { try request.call(by: self) }
    }

    private func call(
        _ description: @autoclosure () -> String,
        _ collectsBody: Bool,
        _ reportsFailure: Bool,
        _ build: () throws -> Call
    ) throws -> Call {
        do {
            var call = try build()
            call.collectsBody = collectsBody
            call.logger = makeLogger(call.request, call.policies)
            return call
        } catch {
            log(error, unbuilt: description())
            if reportsFailure { report(error, of: nil, description()) }
            throw error
        }
    }

    /// Waits on the client's clock.
    func sleep(for delay: Duration) async throws {
        try await CallScope.isolating { [clock = configuration.clock] in try await clock.sleep(for: delay) }
    }

    /// Logs and reports the failure of a call.
    func report(_ error: any Error, of call: Call, reportsFailure: Bool = true) {
        call.logger?.failed(error)
        if reportsFailure { report(error, of: call.request, call.request.description) }
    }
}
