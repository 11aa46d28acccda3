import Foundation
import Requests

/// A request that a verb of the client accepts: a definition, or a request that is already built.
protocol CallInput: Sendable, CustomStringConvertible {
    associatedtype Resource: Sendable

    /// Decodes the response.
    var decoder: ResponseDecoder<Resource> { get }

    /// Builds everything but the authentication.
    func call(by runner: CallRunner) throws -> Call
}

/// A request definition as the input of a call.
struct Definition<R: RequestConvertible>: CallInput {
    let request: R

    init(_ request: R) {
        self.request = request
    }

    var description: String { request.description }

    var decoder: ResponseDecoder<R.Resource> { request.responseDecoder }

    func call(by runner: CallRunner) throws -> Call {
        try request.call(by: runner)
    }
}

extension RequestConvertible {
    /// Builds everything but the authentication.
    func call(by runner: CallRunner) throws -> Call {
        Call(
            try unauthenticated(defaults: runner.configuration.header),
            policies,
            authenticationProvider,
            hasCredentials: header.contains(.authorization),
            runner
        )
    }
}

extension PreparedRequest: CallInput {
    var decoder: ResponseDecoder<Data> { .data }

    func call(by runner: CallRunner) -> Call {
        var request = self
        request.header = runner.configuration.header.merging(header)
        return Call(request, CallPolicies(), .inherited, hasCredentials: header.contains(.authorization), runner)
    }
}
