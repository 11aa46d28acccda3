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
        if !provider.isInheriting { request.doneBy = .some(provider.owner) }
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
    public var authenticationProvider: AuthenticationProvider { doneBy.map { .done(by: $0) } ?? .inherited }

    /// Returns the request without adding credentials, and with those default fields whose names it lacks.
    public func unauthenticated(defaults: Header) -> PreparedRequest {
        guard !defaults.isEmpty else { return self }
        var request = self
        request.header = defaults.merging(header)
        return request
    }
}

/// Requests to a URL, without an API: the verbs of ``RequestProviding`` that most requests need.
///
/// ```swift
/// let user = try await client.send(
///     .get(json: User.self, from: "https://api.example.com/users/\(id)")
/// )
/// ```
///
/// The scheme and the host must be literals. Interpolated values are encoded as in every ``Endpoint``.
extension PreparableRequest {
    /// A `GET` request for a resource.
    public static func get<Resource>(_ decoder: ResponseDecoder<Resource>, from url: Endpoint) -> Self
    where Self == Request<BaseURL, Resource> {
        BaseURL.request(to: url, using: .get).receiving(decoder)
    }

    /// A `GET` request for a value in JSON.
    public static func get<Resource: Decodable & Sendable>(json type: Resource.Type, from url: Endpoint) -> Self
    where Self == Request<BaseURL, Resource> {
        get(.json(type), from: url)
    }

    /// A `HEAD` request.
    public static func head(_ url: Endpoint) -> Self where Self == Request<BaseURL, Void> {
        BaseURL.request(to: url, using: .head)
    }

    /// A `DELETE` request.
    public static func delete(_ url: Endpoint) -> Self where Self == Request<BaseURL, Void> {
        BaseURL.request(to: url, using: .delete)
    }

    /// A `DELETE` request for a value in JSON.
    public static func delete<Resource: Decodable & Sendable>(_ url: Endpoint, receiving type: Resource.Type) -> Self
    where Self == Request<BaseURL, Resource> {
        BaseURL.request(to: url, using: .delete).receiving(json: type)
    }
}

extension PreparableRequest {
    /// A `POST` request with a body.
    public static func post(_ body: BodyProvider, to url: Endpoint) -> Self where Self == Request<BaseURL, Void> {
        BaseURL.request(to: url, using: .post).sending(body)
    }

    /// A `POST` request with a body, for a value in JSON.
    public static func post<Resource: Decodable & Sendable>(
        _ body: BodyProvider,
        to url: Endpoint,
        receiving type: Resource.Type
    ) -> Self where Self == Request<BaseURL, Resource> {
        BaseURL.request(to: url, using: .post).sending(body).receiving(json: type)
    }

    /// A `POST` request with a value as JSON.
    public static func post(json value: some Encodable, to url: Endpoint) -> Self
    where Self == Request<BaseURL, Void> {
        post(.json(encoded: value), to: url)
    }

    /// A `POST` request with a literal of mixed values as JSON.
    public static func post(json value: JSONValue, to url: Endpoint) -> Self where Self == Request<BaseURL, Void> {
        post(.json(value), to: url)
    }

    /// A `POST` request with a literal of mixed values as JSON, for a value in JSON.
    public static func post<Resource: Decodable & Sendable>(
        json value: JSONValue,
        to url: Endpoint,
        receiving type: Resource.Type
    ) -> Self where Self == Request<BaseURL, Resource> {
        post(.json(value), to: url, receiving: type)
    }

    /// A `POST` request with a value as JSON, for a value in JSON.
    public static func post<Resource: Decodable & Sendable>(
        json value: some Encodable,
        to url: Endpoint,
        receiving type: Resource.Type
    ) -> Self where Self == Request<BaseURL, Resource> {
        post(.json(encoded: value), to: url, receiving: type)
    }
}

extension PreparableRequest {
    /// A `PUT` request with a body.
    public static func put(_ body: BodyProvider, to url: Endpoint) -> Self where Self == Request<BaseURL, Void> {
        BaseURL.request(to: url, using: .put).sending(body)
    }

    /// A `PUT` request with a body, for a value in JSON.
    public static func put<Resource: Decodable & Sendable>(
        _ body: BodyProvider,
        to url: Endpoint,
        receiving type: Resource.Type
    ) -> Self where Self == Request<BaseURL, Resource> {
        BaseURL.request(to: url, using: .put).sending(body).receiving(json: type)
    }

    /// A `PUT` request with a value as JSON.
    public static func put(json value: some Encodable, to url: Endpoint) -> Self
    where Self == Request<BaseURL, Void> {
        put(.json(encoded: value), to: url)
    }

    /// A `PUT` request with a literal of mixed values as JSON.
    public static func put(json value: JSONValue, to url: Endpoint) -> Self where Self == Request<BaseURL, Void> {
        put(.json(value), to: url)
    }

    /// A `PUT` request with a literal of mixed values as JSON, for a value in JSON.
    public static func put<Resource: Decodable & Sendable>(
        json value: JSONValue,
        to url: Endpoint,
        receiving type: Resource.Type
    ) -> Self where Self == Request<BaseURL, Resource> {
        put(.json(value), to: url, receiving: type)
    }

    /// A `PUT` request with a value as JSON, for a value in JSON.
    public static func put<Resource: Decodable & Sendable>(
        json value: some Encodable,
        to url: Endpoint,
        receiving type: Resource.Type
    ) -> Self where Self == Request<BaseURL, Resource> {
        put(.json(encoded: value), to: url, receiving: type)
    }
}

extension PreparableRequest {
    /// A `PATCH` request with a body.
    public static func patch(_ body: BodyProvider, to url: Endpoint) -> Self where Self == Request<BaseURL, Void> {
        BaseURL.request(to: url, using: .patch).sending(body)
    }

    /// A `PATCH` request with a body, for a value in JSON.
    public static func patch<Resource: Decodable & Sendable>(
        _ body: BodyProvider,
        to url: Endpoint,
        receiving type: Resource.Type
    ) -> Self where Self == Request<BaseURL, Resource> {
        BaseURL.request(to: url, using: .patch).sending(body).receiving(json: type)
    }

    /// A `PATCH` request with a value as JSON.
    public static func patch(json value: some Encodable, to url: Endpoint) -> Self
    where Self == Request<BaseURL, Void> {
        patch(.json(encoded: value), to: url)
    }

    /// A `PATCH` request with a literal of mixed values as JSON.
    public static func patch(json value: JSONValue, to url: Endpoint) -> Self where Self == Request<BaseURL, Void> {
        patch(.json(value), to: url)
    }

    /// A `PATCH` request with a literal of mixed values as JSON, for a value in JSON.
    public static func patch<Resource: Decodable & Sendable>(
        json value: JSONValue,
        to url: Endpoint,
        receiving type: Resource.Type
    ) -> Self where Self == Request<BaseURL, Resource> {
        patch(.json(value), to: url, receiving: type)
    }

    /// A `PATCH` request with a value as JSON, for a value in JSON.
    public static func patch<Resource: Decodable & Sendable>(
        json value: some Encodable,
        to url: Endpoint,
        receiving type: Resource.Type
    ) -> Self where Self == Request<BaseURL, Resource> {
        patch(.json(encoded: value), to: url, receiving: type)
    }
}

extension BaseURL {
    /// A request to an absolute URL.
    fileprivate static func request(to url: Endpoint, using method: HTTPMethod) -> Request<BaseURL, Void> {
        let (baseURL, endpoint) = url.relativeToOrigin()
        return BaseURL(baseURL).request(to: endpoint, using: method)
    }
}
