/// A request to an API, made with the API's verbs and changed by copying.
///
/// ```swift
/// let search = api.get(.text, from: "/users/search")
///     .with(query: ["query": "alex", "limit": 30])
///     .authenticated(with: .bearerToken(token))
/// ```
public struct Request<API: RequestProviding, Resource: Sendable>: RequestConvertible {
    private var decoder: ResponseDecoder<Resource>

    /// The API.
    public let api: API

    /// The path below the base URL, with an optional query.
    public var endpoint: Endpoint

    /// The method.
    public var method: HTTPMethod

    /// The request's own header.
    public var header = Header.empty

    /// The query items that follow the queries of the base URL and the endpoint.
    public var queryItems: [URLQueryItem] = []

    /// Creates the body.
    public var bodyProvider = BodyProvider.none

    /// Adds credentials.
    public var authenticationProvider = AuthenticationProvider.inherited

    /// Everything optional about the call.
    public var options = CallOptions()

    /// Creates a request. Usually, an API's verbs do this.
    ///
    /// - Parameters:
    ///   - api: The API.
    ///   - endpoint: The path below the API's base URL, with an optional query.
    ///   - responseDecoder: Decodes the response.
    ///   - method: The method.
    public init(api: API, endpoint: Endpoint, responseDecoder: ResponseDecoder<Resource>, method: HTTPMethod) {
        self.api = api
        self.endpoint = endpoint
        self.method = method
        decoder = responseDecoder
    }

    /// Returns the request with another decoder, and so with another resource.
    ///
    /// Everything else stays. If the new decoder doesn't decode failures, failures are decoded as before; see
    /// ``decodingErrors(as:)``.
    public consuming func receiving<NewResource>(
        _ decoder: ResponseDecoder<NewResource>
    ) -> Request<API, NewResource> {
        let decoder = decoder.readingFailures(like: self.decoder.rules)
        var request = Request<API, NewResource>(api: api, endpoint: endpoint, responseDecoder: decoder, method: method)
        request.header = header
        request.queryItems = queryItems
        request.bodyProvider = bodyProvider
        request.authenticationProvider = authenticationProvider
        request.options = options
        return request
    }

    /// Returns the request for a value in JSON.
    public consuming func receiving<NewResource: Decodable & Sendable>(
        json type: NewResource.Type
    ) -> Request<API, NewResource> {
        receiving(.json(type))
    }

    /// Returns the request with a type for the bodies of failed responses.
    ///
    /// In ``RequestProviding/request(to:using:)`` it applies to all requests of the API. See
    /// ``ResponseDecoder/decodingErrors(as:decoder:)``.
    public consuming func decodingErrors<Failure: Error & Decodable>(as type: Failure.Type) -> Request {
        decoder = decoder.decodingErrors(as: type)
        return self
    }

    /// Returns the request with ``ProblemDetails`` as the description of failed responses (RFC 9457).
    ///
    /// In ``RequestProviding/request(to:using:)`` it applies to all requests of the API. See
    /// ``ResponseDecoder/problems()``.
    public consuming func problems() -> Request {
        decoder = decoder.problems()
        return self
    }
}

extension Request {
    /// How cached responses may be used. The same as `options.cachePolicy`.
    public var cachePolicy: CachePolicy {
        get { options.cachePolicy ?? .useProtocolCachePolicy }
        set { options.cachePolicy = newValue }
    }

    /// Decodes the response. Uses the API's ``RequestProviding/coders`` unless the decoder specifies a JSON decoder.
    public var responseDecoder: ResponseDecoder<Resource> {
        get { decoder.reading(with: api.coders.decoder) }
        set { decoder = newValue }
    }

    /// The API's base URL.
    public var baseURL: URL { api.baseURL }

    /// The idle timeout in seconds. The same as `options.timeouts.idle`, or 60 if that is `nil`.
    public var timeoutInterval: TimeInterval {
        get { Timeouts.interval(ofIdle: options.timeouts.idle) }
        set { options.timeouts.idle = Timeouts.duration(newValue) }
    }
}

extension Request: Redacted {}
