import Foundation

extension RequestConvertible {
    /// Builds the request that a transport sends.
    ///
    /// - Throws: ``RequestError``, or the body or authentication provider's own error.
    public func prepared() throws -> PreparedRequest {
        var request = try unauthenticated(defaults: .empty)
        try authenticationProvider.apply(to: &request)
        try request.validate()
        return consume request
    }

    /// Builds the request as a `curl` command for a POSIX shell.
    ///
    /// - Parameter revealingSecrets: Whether credentials are shown. Default: `false`.
    /// - Throws: The same errors as ``prepared()``.
    public func curlCommand(revealingSecrets: Bool = false) throws -> String {
        try prepared().curlCommand(revealingSecrets: revealingSecrets)
    }

    /// Builds everything but the authentication, without validating it.
    ///
    /// - Parameter defaults: Header fields that the request's own fields of the same name replace.
    package func unauthenticated(defaults: Header) throws -> PreparedRequest {
        let method = method
        try method.validate()
        var options = options
        let url = try url(redacting: policies.sensitiveQueryNames)
        var header = defaults.merging(header)
        options.fill(idle: timeoutInterval, cachePolicy: cachePolicy)
        header.fill(for: options.cachePolicy)
        let body = try bodyProvider.body(updating: &header)
        return PreparedRequest(
            unchecked: method,
            url: url,
            header: header,
            body: body,
            options: options,
            observer: observer
        )
    }

    /// The URL before authentication.
    func url(redacting names: Set<String>) throws(RequestError) -> RequestURL {
        try RequestURL.building(endpoint, below: baseURL, query: queryItems, redacting: names)
    }
}
