/// Everything that a client can send: a definition (``RequestConvertible``), or a request that is built
/// (``PreparedRequest``).
public protocol PreparableRequest<Resource>: Sendable, CustomStringConvertible {
    /// The type that the response is decoded to.
    associatedtype Resource: Sendable

    /// Decodes the response.
    var responseDecoder: ResponseDecoder<Resource> { get }

    /// Adds credentials to the request. A client runs it for each attempt.
    var authenticationProvider: AuthenticationProvider { get }

    /// Builds everything but the authentication, for a client, which adds it to each attempt.
    ///
    /// - Parameter defaults: Header fields that the request's own fields of the same name replace.
    func unauthenticated(defaults: Header) throws -> PreparedRequest
}

extension PreparableRequest {
    /// Builds the request that a transport sends.
    ///
    /// The result keeps its authentication: a client that sends it later authenticates it only if the request inherits
    /// the client's authentication.
    ///
    /// - Throws: ``RequestError``, or the body or authentication provider's own error.
    public func prepared() throws -> PreparedRequest {
        var request = try unauthenticated(defaults: .empty)
        let provider = authenticationProvider
        try provider.apply(to: &request)
        try request.validate()
        if !provider.isInheriting { request.isAuthenticated = true }
        return consume request
    }

    /// Builds the request as a `curl` command for a POSIX shell.
    ///
    /// - Parameter revealingSecrets: Whether credentials are shown. Default: `false`.
    /// - Throws: The same errors as ``prepared()``.
    public func curlCommand(revealingSecrets: Bool = false) throws -> String {
        try prepared().curlCommand(revealingSecrets: revealingSecrets)
    }
}

extension PreparedRequest: PreparableRequest {
    /// Returns the bytes of the body.
    public var responseDecoder: ResponseDecoder<Data> { .data }

    /// The client's authentication, unless ``isAuthenticated``.
    public var authenticationProvider: AuthenticationProvider { isAuthenticated ? .none : .inherited }

    /// Returns the request with those default fields whose names it doesn't contain.
    public func unauthenticated(defaults: Header) -> PreparedRequest {
        guard !defaults.isEmpty else { return self }
        var request = self
        request.header = defaults.merging(header)
        return request
    }
}
