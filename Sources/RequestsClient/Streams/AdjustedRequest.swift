import Requests

/// A request with a change that is made each time it is built.
struct AdjustedRequest<Input: PreparableRequest>: PreparableRequest {
    private let input: Input
    private let adjust: @Sendable (inout PreparedRequest) throws -> Void
    let authenticationProvider: AuthenticationProvider
    let responseDecoder: ResponseDecoder<Input.Resource>

    init(
        _ input: Input,
        authenticatedWith provider: AuthenticationProvider? = nil,
        decodedBy decoder: ResponseDecoder<Input.Resource>? = nil,
        _ adjust: @escaping @Sendable (inout PreparedRequest) throws -> Void = { _ in }
    ) {
        (self.input, self.adjust) = (input, adjust)
        authenticationProvider = provider ?? input.authenticationProvider
        responseDecoder = decoder ?? input.responseDecoder
    }

    var description: String { input.description }

    func unauthenticated(defaults: Header) throws -> PreparedRequest {
        var request = try input.unauthenticated(defaults: defaults)
        try adjust(&request)
        return request
    }
}
