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
        let options = options
        let url = try RequestURL.building(
            resolvedEndpoint,
            below: baseURL,
            query: queryItems,
            hiding: options.sensitiveQueryNames
        )
        var header = defaults.merging(header)
        let body = try bodyProvider.body(updating: &header)
        return PreparedRequest(
            unchecked: method,
            url: url,
            header: header,
            body: body,
            options: options.filled(idle: timeoutInterval, cachePolicy: cachePolicy),
            observer: observer
        )
    }
}

/// A request that lacks its authentication.
struct RequestDraft {
    let unauthenticated: PreparedRequest
    let authenticationProvider: AuthenticationProvider
}

extension RequestOptions {
    /// The options with the request's two shorthands in place of what they leave unset.
    fileprivate func filled(idle: TimeInterval, cachePolicy: URLRequest.CachePolicy) -> RequestOptions {
        var copy = self
        if copy.timeouts.idle == nil, idle != Timeouts.defaultIdleInterval {
            copy.timeouts.idle = Timeouts.duration(idle)
        }
        if copy.cachePolicy == nil, cachePolicy != .useProtocolCachePolicy { copy.cachePolicy = cachePolicy }
        return copy
    }
}
