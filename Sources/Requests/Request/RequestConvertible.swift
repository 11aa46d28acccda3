/// A request as a value: the URL, the content to send, and the decoder of the response.
///
/// A custom request type declares its resource and three properties; everything else has a default:
///
/// ```swift
/// struct Bio: RequestConvertible {
///     typealias Resource = String
///     let id: Int
///     var baseURL: URL { URL("https://api.example.com") }
///     var endpoint: Endpoint { "/users/\(id)/bio" }
///     var method: HTTPMethod { .get }
/// }
/// ```
///
/// For an API with many requests, a ``RequestProviding`` type and its ``Request`` values are shorter.
public protocol RequestConvertible<Resource>: PreparableRequest, FoundationProperties {
    /// The base of the URL: `http` or `https`, with a host. Read once for each build.
    var baseURL: URL { get }

    /// The path below the base URL, with an optional query. An empty endpoint is the base URL itself.
    var endpoint: Endpoint { get }

    /// The method.
    var method: HTTPMethod { get }

    /// The header. Default: empty. The body and authentication providers can change it later.
    var header: Header { get }

    /// The query items that follow the queries of the base URL and the endpoint. Default: none.
    var queryItems: [URLQueryItem] { get }

    /// How cached responses may be used. Its type can also be `URLRequest.CachePolicy`. Default:
    /// `useProtocolCachePolicy`.
    var cachePolicy: CachePolicy { get }

    /// The idle timeout in seconds. The default, 60, leaves the timeout to the client.
    var timeoutInterval: TimeInterval { get }

    /// Creates the body. Default: `.none`.
    var bodyProvider: BodyProvider { get }

    /// Decodes the response. `Void`, `String` and `Data` have defaults.
    var responseDecoder: ResponseDecoder<Resource> { get }

    /// Adds credentials, after the body provider. Default: `.inherited`, the client's.
    var authenticationProvider: AuthenticationProvider { get }

    /// Everything optional about the call. Takes precedence over `cachePolicy` and `timeoutInterval`. Default: the
    /// client's options.
    var options: CallOptions { get }
}

extension RequestConvertible {
    /// Default: no fields.
    public var header: Header { .empty }
    /// Default: no items.
    public var queryItems: [URLQueryItem] { [] }
    /// Default: 60 seconds, which leaves the timeout to the client.
    public var timeoutInterval: TimeInterval { Timeouts.defaultIdleInterval }
    /// Default: no body.
    public var bodyProvider: BodyProvider { .none }
    /// Default: the client's authentication.
    public var authenticationProvider: AuthenticationProvider { .inherited }
    /// Default: the client's options.
    public var options: CallOptions { CallOptions() }
}

extension RequestConvertible where Resource == Void {
    /// Ignores the body.
    public var responseDecoder: ResponseDecoder<Void> { .none }
}

extension RequestConvertible where Resource == String {
    /// Text. See ``ResponseDecoder/text``.
    public var responseDecoder: ResponseDecoder<String> { .text }
}

extension RequestConvertible where Resource == Data {
    /// The bytes of the body.
    public var responseDecoder: ResponseDecoder<Data> { .data }
}

extension RequestConvertible {
    /// ``CachePolicy/useProtocolCachePolicy``.
    public var cachePolicy: CachePolicy { .useProtocolCachePolicy }

    /// The method and the URL with secrets redacted, or the error if they are invalid. Doesn't make the body.
    public var description: String {
        do {
            try method.validate()
            return "\(method) \(try url(of: endpoint, redacting: options.sensitiveQueryNames))"
        } catch {
            return "\(method) (\(Redaction.reason(error)))"
        }
    }
}

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
        options.fill(idle: timeoutInterval, cachePolicy: declaredCachePolicy)
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
