// Inlined into the modules that call them, down to the values they make: as generic functions of another module they
// look up at run time what a `Request` of an API is, several times for each request.
//
// Consuming, so that the API is copied for them: of one that is lent, at the top level of a program that awaits, Swift 6.3's
// optimizer loses the whole call where the endpoint takes a branch. What a caller has declared `borrowing` is written
// `(copy api).get(…)`.
extension RequestProviding {
    /// A `GET` request for a resource.
    ///
    /// - Parameters:
    ///   - decoder: Reads the response.
    ///   - endpoint: The path below the API's base URL.
    @inlinable public consuming func get<Resource>(
        _ decoder: ResponseDecoder<Resource>,
        from endpoint: Endpoint
    ) -> Request<Self, Resource> {
        request(to: endpoint, using: .get).receiving(decoder)
    }

    /// A `POST` request with a body.
    @inlinable public consuming func post(_ body: BodyProvider, to endpoint: Endpoint) -> Request<Self, Void> {
        request(to: endpoint, using: .post).sending(body)
    }

    /// A `PUT` request with a body.
    @inlinable public consuming func put(_ body: BodyProvider, to endpoint: Endpoint) -> Request<Self, Void> {
        request(to: endpoint, using: .put).sending(body)
    }

    /// A `PATCH` request with a body.
    @inlinable public consuming func patch(_ endpoint: Endpoint, with body: BodyProvider) -> Request<Self, Void> {
        request(to: endpoint, using: .patch).sending(body)
    }

    /// A `DELETE` request.
    @inlinable public consuming func delete(_ endpoint: Endpoint) -> Request<Self, Void> {
        request(to: endpoint, using: .delete)
    }

    /// A `HEAD` request.
    @inlinable public consuming func head(_ endpoint: Endpoint) -> Request<Self, Void> {
        request(to: endpoint, using: .head)
    }
}

extension RequestProviding {
    /// A `GET` request for a value in JSON, decoded by the API's ``RequestProviding/coders``.
    @inlinable public consuming func get<Resource: Decodable & Sendable>(
        json type: Resource.Type,
        from endpoint: Endpoint
    ) -> Request<Self, Resource> {
        get(.json(encoded: type), from: endpoint)
    }

    /// A `POST` request with a value as JSON, encoded by the API's ``RequestProviding/coders``.
    @inlinable public consuming func post(json value: some Encodable, to endpoint: Endpoint) -> Request<Self, Void> {
        post(.json(encoded: value, using: coders.encoder), to: endpoint)
    }

    /// A `PUT` request with a value as JSON, encoded by the API's ``RequestProviding/coders``.
    @inlinable public consuming func put(json value: some Encodable, to endpoint: Endpoint) -> Request<Self, Void> {
        put(.json(encoded: value, using: coders.encoder), to: endpoint)
    }

    /// A `PATCH` request with a value as JSON, encoded by the API's ``RequestProviding/coders``.
    @inlinable public consuming func patch(_ endpoint: Endpoint, json value: some Encodable) -> Request<Self, Void> {
        patch(endpoint, with: .json(encoded: value, using: coders.encoder))
    }
}
