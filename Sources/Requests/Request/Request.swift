import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request to an API, made by its verbs and changed by copying.
///
/// ```swift
/// let search = api.get(.text, from: "/users/search")
///     .with(query: ["query": "alex", "limit": "30"])
///     .authenticated(with: .bearerToken(token))
/// ```
public struct Request<API: RequestProviding, Resource: Sendable>: RequestConvertible {
    @usableFromInline var decoder: ResponseDecoder<Resource>

    @usableFromInline var content: RequestContent

    // The last member: the place of those after one of any size would have to be looked up.
    /// The API.
    public let api: API

    /// Creates a request. Usually an API's verbs do.
    ///
    /// - Parameters:
    ///   - api: The API.
    ///   - endpoint: The path below the API's base URL.
    ///   - responseDecoder: Reads the response.
    ///   - method: The method.
    @inlinable public init(api: API, endpoint: String, responseDecoder: ResponseDecoder<Resource>, method: HTTPMethod) {
        self.init(
            api: api,
            responseDecoder: responseDecoder,
            content: RequestContent(resolvedEndpoint: Endpoint(path: endpoint), method: method)
        )
    }

    @inlinable init(api: API, responseDecoder: ResponseDecoder<Resource>, content: RequestContent) {
        decoder = responseDecoder
        self.content = content
        self.api = api
    }

    /// Sets what reads the response, and with it the type of the resource. Everything else stays: where the new decoder
    /// reads no failures (``errors(as:)``), the one before goes on to read them.
    @inlinable public consuming func receiving<NewResource>(
        _ decoder: ResponseDecoder<NewResource>
    ) -> Request<API, NewResource> {
        guard let rules = self.decoder.rules else {
            return Request<API, NewResource>(api: api, responseDecoder: decoder, content: content)
        }
        return Request<API, NewResource>(
            api: api,
            responseDecoder: decoder.readingFailures(asBy: rules),
            content: content
        )
    }
}

extension Request {
    /// Sets that a value in JSON is received.
    public consuming func receiving<NewResource: Decodable & Sendable>(
        json type: NewResource.Type
    ) -> Request<API, NewResource> {
        receiving(.json(encoded: type))
    }

    /// Reads what the API says about a failure: see ``ResponseDecoder/errors(as:decoder:)``.
    ///
    /// In ``RequestProviding/request(to:using:)`` it is for all requests of the API: it stays when another decoder is set
    /// that has none of its own.
    public consuming func errors<Failure: Error & Decodable>(as type: Failure.Type) -> Request {
        decoder = decoder.errors(as: type)
        return self
    }
}

extension Request: CustomReflectable {
    /// The description alone: what is dumped shows no credentials.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// All of a request that depends neither on the API nor on the resource.
@usableFromInline struct RequestContent: Sendable {
    @usableFromInline var resolvedEndpoint: Endpoint
    var method: HTTPMethod
    var header = Header.empty
    var queryItems: [URLQueryItem] = []
    var bodyProvider = BodyProvider.none
    var authenticationProvider = AuthenticationProvider.none
    var options = RequestOptions()
    var observer: (@Sendable (TransportEvent) -> Void)?

    @usableFromInline init(resolvedEndpoint: Endpoint, method: HTTPMethod) {
        self.resolvedEndpoint = resolvedEndpoint
        self.method = method
    }
}

extension Request {
    /// Reads the response; JSON with the API's ``RequestProviding/coders``, where the decoder has no other.
    public var responseDecoder: ResponseDecoder<Resource> {
        get { decoder.reading(with: api.coders.decoder) }
        set { decoder = newValue }
    }

    /// The API's base URL.
    public var baseURL: URL { api.baseURL }

    /// The path below the base URL.
    public var endpoint: String {
        get { content.resolvedEndpoint.path }
        set { content.resolvedEndpoint = Endpoint(path: newValue) }
    }

    /// The endpoint with all that belongs to it.
    public var resolvedEndpoint: Endpoint {
        get { content.resolvedEndpoint }
        set { content.resolvedEndpoint = newValue }
    }

    /// The method.
    public var method: HTTPMethod {
        get { content.method }
        set { content.method = newValue }
    }

    /// The header, as far as the request itself sets it.
    public var header: Header {
        get { content.header }
        _modify { yield &content.header }
    }

    /// The query items after those of the base URL.
    public var queryItems: [URLQueryItem] {
        get { content.queryItems }
        _modify { yield &content.queryItems }
    }

    /// Makes the body.
    public var bodyProvider: BodyProvider {
        get { content.bodyProvider }
        set { content.bodyProvider = newValue }
    }

    /// Proves who makes the request.
    public var authenticationProvider: AuthenticationProvider {
        get { content.authenticationProvider }
        set { content.authenticationProvider = newValue }
    }

    /// What is asked of the transport.
    public var options: RequestOptions {
        get { content.options }
        set { content.options = newValue }
    }

    /// Is told what happens to each exchange that the request takes.
    public var observer: (@Sendable (TransportEvent) -> Void)? {
        get { content.observer }
        set { content.observer = newValue }
    }

    /// What a cache may answer: the same as `options.cachePolicy`.
    public var cachePolicy: URLRequest.CachePolicy {
        get { content.options.cachePolicy ?? .useProtocolCachePolicy }
        set { options.cachePolicy = newValue }
    }

    /// The idle timeout in seconds: the same as `options.timeouts.idle`, 60 where that is `nil`.
    public var timeoutInterval: TimeInterval {
        get { Timeouts.interval(ofIdle: content.options.timeouts.idle) }
        set { options.timeouts.idle = Timeouts.duration(newValue) }
    }
}
