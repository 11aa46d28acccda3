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

    /// A `POST` request with a body.
    public consuming func post(_ body: BodyProvider, to endpoint: Endpoint) -> Request<Self, Void> {
        request(to: endpoint, using: .post).sending(body)
    }

    /// A `PUT` request with a body.
    public consuming func put(_ body: BodyProvider, to endpoint: Endpoint) -> Request<Self, Void> {
        request(to: endpoint, using: .put).sending(body)
    }

    /// A `PATCH` request with a body.
    public consuming func patch(_ endpoint: Endpoint, with body: BodyProvider) -> Request<Self, Void> {
        request(to: endpoint, using: .patch).sending(body)
    }

    /// A `DELETE` request.
    public consuming func delete(_ endpoint: Endpoint) -> Request<Self, Void> {
        request(to: endpoint, using: .delete)
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

    /// A `QUERY` request: a safe, idempotent request whose query is its body (RFC 10008).
    public consuming func query(_ body: BodyProvider, to endpoint: Endpoint) -> Request<Self, Void> {
        request(to: endpoint, using: .query).sending(body)
    }
}

extension RequestProviding {
    /// A `GET` request for a value in JSON, decoded by the API's ``RequestProviding/coders``.
    public consuming func get<Resource: Decodable & Sendable>(
        json type: Resource.Type,
        from endpoint: Endpoint
    ) -> Request<Self, Resource> {
        get(.json(encoded: type), from: endpoint)
    }

    /// A `POST` request with a value as JSON, encoded by the API's ``RequestProviding/coders``.
    public consuming func post(json value: some Encodable, to endpoint: Endpoint) -> Request<Self, Void> {
        post(.json(encoded: value, using: coders.encoder), to: endpoint)
    }

    /// A `QUERY` request with a value as JSON, encoded by the API's ``RequestProviding/coders``.
    public consuming func query(json value: some Encodable, to endpoint: Endpoint) -> Request<Self, Void> {
        query(.json(encoded: value, using: coders.encoder), to: endpoint)
    }

    /// A `PUT` request with a value as JSON, encoded by the API's ``RequestProviding/coders``.
    public consuming func put(json value: some Encodable, to endpoint: Endpoint) -> Request<Self, Void> {
        put(.json(encoded: value, using: coders.encoder), to: endpoint)
    }

    /// A `PATCH` request with a value as JSON, encoded by the API's ``RequestProviding/coders``.
    public consuming func patch(_ endpoint: Endpoint, json value: some Encodable) -> Request<Self, Void> {
        patch(endpoint, with: .json(encoded: value, using: coders.encoder))
    }
}
