import Foundation
import Requests

/// A request that a verb of the client accepts: a definition, or a request that is already built.
protocol CallInput: Sendable, CustomStringConvertible {
    associatedtype Resource: Sendable

    /// Decodes the response.
    var decoder: ResponseDecoder<Resource> { get }

    /// Builds everything but the authentication.
    func outgoing(_ configuration: Client.Configuration) throws -> Outgoing
}

/// A request in the client's loop: the message, and what the client does with it.
struct Outgoing: Sendable {
    var request: PreparedRequest
    var policies: CallPolicies
    var authentication: AuthenticationProvider

    init(
        _ request: PreparedRequest,
        _ policies: CallPolicies,
        _ authentication: AuthenticationProvider,
        hasCredentials: Bool,
        _ configuration: Client.Configuration
    ) {
        self.request = request
        self.policies = policies
        self.authentication = authentication
        if case .inherited = authentication.scheme {
            self.authentication = hasCredentials ? .none : configuration.authentication
        }
        self.request.options.timeouts = request.options.timeouts.filled(from: configuration.timeouts)
    }
}

/// A request definition as the input of a call.
struct Definition<R: RequestConvertible>: CallInput {
    let request: R

    init(_ request: R) {
        self.request = request
    }

    var description: String { request.description }

    var decoder: ResponseDecoder<R.Resource> { request.responseDecoder }

    func outgoing(_ configuration: Client.Configuration) throws -> Outgoing {
        Outgoing(
            try request.unauthenticated(defaults: configuration.header),
            request.policies,
            request.authenticationProvider,
            hasCredentials: request.header.contains(.authorization),
            configuration
        )
    }
}

extension PreparedRequest: CallInput {
    var decoder: ResponseDecoder<Data> { .data }

    func outgoing(_ configuration: Client.Configuration) -> Outgoing {
        var request = self
        request.header = configuration.header.merging(header)
        return Outgoing(
            request,
            CallPolicies(),
            .inherited,
            hasCredentials: header.contains(.authorization),
            configuration
        )
    }
}
