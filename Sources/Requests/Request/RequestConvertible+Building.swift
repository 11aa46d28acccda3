extension RequestConvertible {
    /// Builds everything but the authentication, without validating it.
    public func unauthenticated(defaults: Header) throws -> PreparedRequest {
        let method = method
        try method.validate()
        var options = options
        let endpoint = endpoint
        let url = try url(of: endpoint, redacting: options.sensitiveQueryNames)
        let own = header
        var header = defaults.merging(own)
        options.fill(idle: timeoutInterval, cachePolicy: cachePolicy)
        header.fill(for: options.cachePolicy)
        let body = try bodyProvider.body(updating: &header)
        return PreparedRequest(
            unchecked: method,
            url: url,
            header: header,
            body: body,
            options: options,
            endpoint: endpoint,
            isAuthenticated: own.contains(.authorization)
        )
    }

    /// The URL before authentication.
    func url(of endpoint: Endpoint, redacting names: Set<String>) throws(RequestError) -> RequestURL {
        try RequestURL.building(endpoint, below: baseURL, query: queryItems, redacting: names)
    }
}
