/// An API: its base URL and everything that all its requests have in common.
///
/// Conform a type to it, and write a function for each request:
///
/// ```swift
/// struct GitHub: RequestProviding {
///     let baseURL = URL("https://api.github.com")
///
///     func user(_ name: String) -> Request<GitHub, User> {
///         get(json: User.self, from: "/users/\(name)")
///     }
/// }
/// ```
///
/// To add a header field or credentials to all requests, implement ``request(to:using:)``:
///
/// ```swift
/// extension GitHub {
///     func request(
///         to endpoint: Endpoint,
///         using method: HTTPMethod
///     ) -> Request<GitHub, Void> {
///         Request(
///             api: self,
///             endpoint: endpoint,
///             responseDecoder: .none,
///             method: method
///         )
///         .adding(headerField: .userAgent("example"))
///     }
/// }
/// ```
public protocol RequestProviding: Sendable {
    /// The base of the URLs of all requests.
    var baseURL: URL { get }

    /// The coders of the `json:` verbs, and of every ``ResponseDecoder`` that doesn't specify a JSON decoder. Default:
    /// ``JSONCoders/standard``.
    var coders: JSONCoders { get }

    /// Creates the request that all verbs start from. Implement it to change all requests of the API.
    ///
    /// To put a path before every endpoint, use ``Endpoint/prefixed(by:)``.
    func request(to endpoint: Endpoint, using method: HTTPMethod) -> Request<Self, Void>
}

extension RequestProviding {
    /// The standard coders.
    public var coders: JSONCoders { .standard }

    /// A request without header, body or authentication.
    public consuming func request(to endpoint: Endpoint, using method: HTTPMethod) -> Request<Self, Void> {
        Request(api: self, endpoint: endpoint, responseDecoder: .none, method: method)
    }
}

/// An API that consists of a base URL.
///
/// ```swift
/// let user = try await client.send(
///     BaseURL("https://api.example.com").get(json: User.self, from: "/me")
/// )
/// ```
public struct BaseURL: RequestProviding {
    /// The base of the URLs of all requests.
    public let baseURL: URL

    /// Creates an API at a URL that is known at run time. For a literal, use `BaseURL("…")`.
    public init(_ url: URL) { self.baseURL = url }

    /// Creates an API at a URL that is a literal.
    public init(_ url: StaticString) { self.baseURL = URL(url) }

    /// The same as `BaseURL(url)`, for code that was written for the library alexjohnj/Requests.
    public init(baseURL: URL) { self.baseURL = baseURL }

    /// Text that is known at run time may be no URL.
    @available(*, unavailable, message: "write BaseURL(url), after URL(string:) has given a URL for the text")
    public init(_ url: String) { self.init(URL("https://invalid")) }
}

/// The name of ``BaseURL`` in the library alexjohnj/Requests, so that code that was written for it compiles.
public typealias AnonymousRequestProvider = BaseURL

// `consuming` works around a bug of Swift 6.3's optimizer, which otherwise crashes a program that calls a verb with a
// branch in its endpoint at the top level. `scripts/optimized` shows it.
extension RequestProviding {
    /// A `GET` request for a resource.
    ///
    /// - Parameters:
    ///   - decoder: Decodes the response.
    ///   - endpoint: The path below the API's base URL, with an optional query.
    public consuming func get<Resource>(
        _ decoder: ResponseDecoder<Resource>,
        from endpoint: Endpoint
    ) -> Request<Self, Resource> {
        request(to: endpoint, using: .get).receiving(decoder)
    }

    /// A `GET` request for a value in JSON, decoded by the API's ``RequestProviding/coders``.
    public consuming func get<Resource: Decodable & Sendable>(
        json type: Resource.Type,
        from endpoint: Endpoint
    ) -> Request<Self, Resource> {
        get(.json(type), from: endpoint)
    }

    /// A path that is known at run time is an ``Endpoint/init(path:)``.
    @available(*, unavailable, message: "interpolate strings, numbers or UUIDs, no optionals, or write Endpoint(path:)")
    public func get<R>(_ decoder: ResponseDecoder<R>, from path: String) -> Request<Self, R> {
        get(decoder, from: Endpoint(path: path))
    }

    /// A path that is known at run time is an ``Endpoint/init(path:)``.
    @available(*, unavailable, message: "interpolate strings, numbers or UUIDs, no optionals, or write Endpoint(path:)")
    public func get<R: Decodable & Sendable>(json type: R.Type, from path: String) -> Request<Self, R> {
        get(json: type, from: Endpoint(path: path))
    }

    /// A `HEAD` request.
    public consuming func head(_ endpoint: Endpoint) -> Request<Self, Void> {
        request(to: endpoint, using: .head)
    }

    /// An `OPTIONS` request.
    public consuming func options(_ endpoint: Endpoint) -> Request<Self, Void> {
        request(to: endpoint, using: .options)
    }

    /// A `TRACE` request.
    public consuming func trace(_ endpoint: Endpoint) -> Request<Self, Void> {
        request(to: endpoint, using: .trace)
    }

    /// A `DELETE` request. Ignores the body of the response by default.
    public consuming func delete<Resource>(
        _ endpoint: Endpoint,
        receiving decoder: ResponseDecoder<Resource> = ResponseDecoder<Void>.none
    ) -> Request<Self, Resource> {
        request(to: endpoint, using: .delete).receiving(decoder)
    }

    /// A `DELETE` request for a value in JSON.
    public consuming func delete<Resource: Decodable & Sendable>(
        _ endpoint: Endpoint,
        receiving type: Resource.Type
    ) -> Request<Self, Resource> {
        delete(endpoint, receiving: .json(type))
    }
}

extension RequestProviding {
    /// A `POST` request with a body. Ignores the body of the response by default.
    public consuming func post<Resource>(
        _ body: BodyProvider,
        to endpoint: Endpoint,
        receiving decoder: ResponseDecoder<Resource> = ResponseDecoder<Void>.none
    ) -> Request<Self, Resource> {
        request(to: endpoint, using: .post).sending(body).receiving(decoder)
    }

    /// A `POST` request with a body, for a value in JSON.
    public consuming func post<Resource: Decodable & Sendable>(
        _ body: BodyProvider,
        to endpoint: Endpoint,
        receiving type: Resource.Type
    ) -> Request<Self, Resource> {
        post(body, to: endpoint, receiving: .json(type))
    }

    /// A `POST` request with a value as JSON, encoded by the API's ``RequestProviding/coders``.
    public consuming func post<Resource>(
        json value: some Encodable,
        to endpoint: Endpoint,
        receiving decoder: ResponseDecoder<Resource> = ResponseDecoder<Void>.none
    ) -> Request<Self, Resource> {
        let encoder = coders.encoder
        return post(.json(encoded: value, using: encoder), to: endpoint, receiving: decoder)
    }

    /// A `POST` request with a literal of mixed values as JSON.
    public consuming func post<Resource>(
        json value: JSONValue,
        to endpoint: Endpoint,
        receiving decoder: ResponseDecoder<Resource> = ResponseDecoder<Void>.none
    ) -> Request<Self, Resource> {
        post(.json(value), to: endpoint, receiving: decoder)
    }

    /// A `POST` request with a literal of mixed values as JSON, for a value in JSON.
    public consuming func post<Resource: Decodable & Sendable>(
        json value: JSONValue,
        to endpoint: Endpoint,
        receiving type: Resource.Type
    ) -> Request<Self, Resource> {
        post(.json(value), to: endpoint, receiving: .json(type))
    }

    /// A `POST` request with a value as JSON, for a value in JSON.
    public consuming func post<Resource: Decodable & Sendable>(
        json value: some Encodable,
        to endpoint: Endpoint,
        receiving type: Resource.Type
    ) -> Request<Self, Resource> {
        post(json: value, to: endpoint, receiving: .json(type))
    }
}

extension RequestProviding {
    /// A `PUT` request with a body. Ignores the body of the response by default.
    public consuming func put<Resource>(
        _ body: BodyProvider,
        to endpoint: Endpoint,
        receiving decoder: ResponseDecoder<Resource> = ResponseDecoder<Void>.none
    ) -> Request<Self, Resource> {
        request(to: endpoint, using: .put).sending(body).receiving(decoder)
    }

    /// A `PUT` request with a body, for a value in JSON.
    public consuming func put<Resource: Decodable & Sendable>(
        _ body: BodyProvider,
        to endpoint: Endpoint,
        receiving type: Resource.Type
    ) -> Request<Self, Resource> {
        put(body, to: endpoint, receiving: .json(type))
    }

    /// A `PUT` request with a value as JSON, encoded by the API's ``RequestProviding/coders``.
    public consuming func put<Resource>(
        json value: some Encodable,
        to endpoint: Endpoint,
        receiving decoder: ResponseDecoder<Resource> = ResponseDecoder<Void>.none
    ) -> Request<Self, Resource> {
        let encoder = coders.encoder
        return put(.json(encoded: value, using: encoder), to: endpoint, receiving: decoder)
    }

    /// A `PUT` request with a literal of mixed values as JSON.
    public consuming func put<Resource>(
        json value: JSONValue,
        to endpoint: Endpoint,
        receiving decoder: ResponseDecoder<Resource> = ResponseDecoder<Void>.none
    ) -> Request<Self, Resource> {
        put(.json(value), to: endpoint, receiving: decoder)
    }

    /// A `PUT` request with a literal of mixed values as JSON, for a value in JSON.
    public consuming func put<Resource: Decodable & Sendable>(
        json value: JSONValue,
        to endpoint: Endpoint,
        receiving type: Resource.Type
    ) -> Request<Self, Resource> {
        put(.json(value), to: endpoint, receiving: .json(type))
    }

    /// A `PUT` request with a value as JSON, for a value in JSON.
    public consuming func put<Resource: Decodable & Sendable>(
        json value: some Encodable,
        to endpoint: Endpoint,
        receiving type: Resource.Type
    ) -> Request<Self, Resource> {
        put(json: value, to: endpoint, receiving: .json(type))
    }
}

extension RequestProviding {
    /// A `PATCH` request with a body. Ignores the body of the response by default.
    public consuming func patch<Resource>(
        _ body: BodyProvider,
        to endpoint: Endpoint,
        receiving decoder: ResponseDecoder<Resource> = ResponseDecoder<Void>.none
    ) -> Request<Self, Resource> {
        request(to: endpoint, using: .patch).sending(body).receiving(decoder)
    }

    /// A `PATCH` request with a body, for a value in JSON.
    public consuming func patch<Resource: Decodable & Sendable>(
        _ body: BodyProvider,
        to endpoint: Endpoint,
        receiving type: Resource.Type
    ) -> Request<Self, Resource> {
        patch(body, to: endpoint, receiving: .json(type))
    }

    /// A `PATCH` request with a value as JSON, encoded by the API's ``RequestProviding/coders``.
    public consuming func patch<Resource>(
        json value: some Encodable,
        to endpoint: Endpoint,
        receiving decoder: ResponseDecoder<Resource> = ResponseDecoder<Void>.none
    ) -> Request<Self, Resource> {
        let encoder = coders.encoder
        return patch(.json(encoded: value, using: encoder), to: endpoint, receiving: decoder)
    }

    /// A `PATCH` request with a literal of mixed values as JSON.
    public consuming func patch<Resource>(
        json value: JSONValue,
        to endpoint: Endpoint,
        receiving decoder: ResponseDecoder<Resource> = ResponseDecoder<Void>.none
    ) -> Request<Self, Resource> {
        patch(.json(value), to: endpoint, receiving: decoder)
    }

    /// A `PATCH` request with a literal of mixed values as JSON, for a value in JSON.
    public consuming func patch<Resource: Decodable & Sendable>(
        json value: JSONValue,
        to endpoint: Endpoint,
        receiving type: Resource.Type
    ) -> Request<Self, Resource> {
        patch(.json(value), to: endpoint, receiving: .json(type))
    }

    /// A `PATCH` request with a value as JSON, for a value in JSON.
    public consuming func patch<Resource: Decodable & Sendable>(
        json value: some Encodable,
        to endpoint: Endpoint,
        receiving type: Resource.Type
    ) -> Request<Self, Resource> {
        patch(json: value, to: endpoint, receiving: .json(type))
    }
}

extension RequestProviding {
    /// A `QUERY` request: a safe one whose query is its body (RFC 10008). Ignores the response's body by default.
    public consuming func query<Resource>(
        _ body: BodyProvider,
        to endpoint: Endpoint,
        receiving decoder: ResponseDecoder<Resource> = ResponseDecoder<Void>.none
    ) -> Request<Self, Resource> {
        request(to: endpoint, using: .query).sending(body).receiving(decoder)
    }
}

extension RequestProviding {
    /// A `PATCH` request with a body, as in alexjohnj/Requests. The same as `patch(_:to:)`.
    public consuming func patch(_ endpoint: Endpoint, with body: BodyProvider) -> Request<Self, Void> {
        patch(body, to: endpoint)
    }
}
