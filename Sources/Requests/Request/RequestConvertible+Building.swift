import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension RequestConvertible {
    /// Builds the request that a transport sends.
    ///
    /// - Throws: ``InvalidRequestURLError``, ``RequestError``, or the own error of the body or the authentication
    ///   provider.
    public func prepared() throws -> PreparedRequest {
        var request = try unauthenticated(defaults: .empty)
        try authenticationProvider.updateNow(&request)
        try request.validate()
        return consume request
    }

    /// Builds the request as a Foundation value, for other code to send.
    ///
    /// - Throws: As ``prepared()``.
    public func toURLRequest() throws -> URLRequest {
        try URLRequest(prepared())
    }

    /// Builds the request as a `curl` command for a POSIX shell.
    ///
    /// - Parameter revealingSecrets: Whether credentials are shown; `false` by default.
    /// - Throws: As ``prepared()``.
    public func curlCommand(revealingSecrets: Bool = false) throws -> String {
        try prepared().curlCommand(revealingSecrets: revealingSecrets)
    }

    /// Builds all but the authentication, and leaves the check of the whole to who adds that.
    ///
    /// - Parameter defaults: Fields below the request's own: one of the request's replaces those of its name.
    func draft(defaults: Header = .empty) throws -> RequestDraft {
        RequestDraft(
            unauthenticated: try unauthenticated(defaults: defaults),
            authenticationProvider: authenticationProvider
        )
    }

    private func unauthenticated(defaults: Header) throws -> PreparedRequest {
        let method = method
        try method.validate()
        var options = options
        let url = try url(hiding: options.sensitiveQueryNames)
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
    func url(hiding names: Set<String>) throws -> RequestURL {
        try RequestURL.building(resolvedEndpoint, below: baseURL, query: queryItems, hiding: names)
    }
}

/// A request that lacks its authentication.
struct RequestDraft {
    let unauthenticated: PreparedRequest
    let authenticationProvider: AuthenticationProvider
}

extension RequestOptions {
    /// Puts the request's two shorthands in place of what the options leave unset.
    fileprivate mutating func fill(idle: TimeInterval, cachePolicy: URLRequest.CachePolicy) {
        if timeouts.idle == nil, idle != Timeouts.defaultIdleInterval { timeouts.idle = Timeouts.duration(idle) }
        if self.cachePolicy == nil, cachePolicy != .useProtocolCachePolicy { self.cachePolicy = cachePolicy }
    }
}
