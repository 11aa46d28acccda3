import Requests

/// A request with a change that is made each time it is built.
struct AdjustedRequest<Input: PreparableRequest>: PreparableRequest {
    private let input: Input
    private let adjust: @Sendable (inout PreparedRequest) throws -> Void
    let authenticationProvider: AuthenticationProvider

    init(
        _ input: Input,
        authenticatedWith provider: AuthenticationProvider? = nil,
        _ adjust: @escaping @Sendable (inout PreparedRequest) throws -> Void
    ) {
        (self.input, self.adjust) = (input, adjust)
        authenticationProvider = provider ?? input.authenticationProvider
    }

    var description: String { input.description }
    var responseDecoder: ResponseDecoder<Input.Resource> { input.responseDecoder }

    func unauthenticated(defaults: Header) throws -> PreparedRequest {
        var request = try input.unauthenticated(defaults: defaults)
        try adjust(&request)
        return request
    }
}
