/// Requests to a URL, without an API.
///
/// ```swift
/// let user = try await client.send(.get("https://api.example.com/users/\(id)", json: User.self))
/// ```
///
/// The scheme and the host must be literals. Interpolated values are encoded as in every ``Endpoint``.
extension RequestConvertible {
    /// A `GET` request for a value in JSON.
    public static func get<Resource: Decodable & Sendable>(_ url: Endpoint, json type: Resource.Type) -> Self
    where Self == Request<AnonymousRequestProvider, Resource> {
        get(url, .json(encoded: type))
    }

    /// A `GET` request.
    public static func get<Resource>(_ url: Endpoint, _ decoder: ResponseDecoder<Resource>) -> Self
    where Self == Request<AnonymousRequestProvider, Resource> {
        .oneOff(url, .get, decoder)
    }

    /// A `POST` request with a body.
    public static func post(_ url: Endpoint, _ body: BodyProvider) -> Self
    where Self == Request<AnonymousRequestProvider, Void> {
        .oneOff(url, .post, .none).sending(body)
    }

    /// A `POST` request with a value as JSON.
    public static func post(_ url: Endpoint, json value: some Encodable) -> Self
    where Self == Request<AnonymousRequestProvider, Void> {
        post(url, .json(encoded: value))
    }

    /// A `POST` request with a value as JSON, for a value in JSON.
    public static func post<Resource: Decodable & Sendable>(
        _ url: Endpoint,
        json value: some Encodable,
        receiving type: Resource.Type
    ) -> Self where Self == Request<AnonymousRequestProvider, Resource> {
        .oneOff(url, .post, .json(encoded: type)).sending(.json(encoded: value))
    }

    /// A `PUT` request with a body.
    public static func put(_ url: Endpoint, _ body: BodyProvider) -> Self
    where Self == Request<AnonymousRequestProvider, Void> {
        .oneOff(url, .put, .none).sending(body)
    }

    /// A `PATCH` request with a body.
    public static func patch(_ url: Endpoint, _ body: BodyProvider) -> Self
    where Self == Request<AnonymousRequestProvider, Void> {
        .oneOff(url, .patch, .none).sending(body)
    }

    /// A `DELETE` request.
    public static func delete(_ url: Endpoint) -> Self where Self == Request<AnonymousRequestProvider, Void> {
        .oneOff(url, .delete, .none)
    }

    private static func oneOff<Resource>(
        _ url: Endpoint,
        _ method: HTTPMethod,
        _ decoder: ResponseDecoder<Resource>
    ) -> Self where Self == Request<AnonymousRequestProvider, Resource> {
        let (baseURL, endpoint) = url.relativeToOrigin()
        let api = AnonymousRequestProvider(baseURL: baseURL)
        return Request(api: api, endpoint: endpoint, responseDecoder: decoder, method: method)
    }
}
