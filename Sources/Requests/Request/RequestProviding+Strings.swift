/// Strings aren't endpoints. These overloads only tell what to write instead.
extension RequestProviding {
    /// A string isn't an endpoint.
    @available(*, unavailable, message: "pass an Endpoint: a literal, or Endpoint(path:) for a path known at run time")
    public func get<Resource>(_ decoder: ResponseDecoder<Resource>, from endpoint: String) -> Request<Self, Resource> {
        get(decoder, from: Endpoint(path: endpoint))
    }

    /// A string isn't an endpoint.
    @available(*, unavailable, message: "pass an Endpoint: a literal, or Endpoint(path:) for a path known at run time")
    public func get<Resource: Decodable & Sendable>(json type: Resource.Type, from endpoint: String) -> Request<
        Self, Resource
    > {
        get(json: type, from: Endpoint(path: endpoint))
    }

    /// A string isn't an endpoint.
    @available(*, unavailable, message: "pass an Endpoint: a literal, or Endpoint(path:) for a path known at run time")
    public func post(_ body: BodyProvider, to endpoint: String) -> Request<Self, Void> {
        post(body, to: Endpoint(path: endpoint))
    }

    /// A string isn't an endpoint.
    @available(*, unavailable, message: "pass an Endpoint: a literal, or Endpoint(path:) for a path known at run time")
    public func post(json value: some Encodable, to endpoint: String) -> Request<Self, Void> {
        post(json: value, to: Endpoint(path: endpoint))
    }

    /// A string isn't an endpoint.
    @available(*, unavailable, message: "pass an Endpoint: a literal, or Endpoint(path:) for a path known at run time")
    public func put(_ body: BodyProvider, to endpoint: String) -> Request<Self, Void> {
        put(body, to: Endpoint(path: endpoint))
    }

    /// A string isn't an endpoint.
    @available(*, unavailable, message: "pass an Endpoint: a literal, or Endpoint(path:) for a path known at run time")
    public func put(json value: some Encodable, to endpoint: String) -> Request<Self, Void> {
        put(json: value, to: Endpoint(path: endpoint))
    }

    /// A string isn't an endpoint.
    @available(*, unavailable, message: "pass an Endpoint: a literal, or Endpoint(path:) for a path known at run time")
    public func patch(_ endpoint: String, with body: BodyProvider) -> Request<Self, Void> {
        patch(Endpoint(path: endpoint), with: body)
    }

    /// A string isn't an endpoint.
    @available(*, unavailable, message: "pass an Endpoint: a literal, or Endpoint(path:) for a path known at run time")
    public func patch(_ endpoint: String, json value: some Encodable) -> Request<Self, Void> {
        patch(Endpoint(path: endpoint), json: value)
    }

    /// A string isn't an endpoint.
    @available(*, unavailable, message: "pass an Endpoint: a literal, or Endpoint(path:) for a path known at run time")
    public func query(_ body: BodyProvider, to endpoint: String) -> Request<Self, Void> {
        query(body, to: Endpoint(path: endpoint))
    }

    /// A string isn't an endpoint.
    @available(*, unavailable, message: "pass an Endpoint: a literal, or Endpoint(path:) for a path known at run time")
    public func query(json value: some Encodable, to endpoint: String) -> Request<Self, Void> {
        query(json: value, to: Endpoint(path: endpoint))
    }

    /// A string isn't an endpoint.
    @available(*, unavailable, message: "pass an Endpoint: a literal, or Endpoint(path:) for a path known at run time")
    public func delete(_ endpoint: String) -> Request<Self, Void> {
        delete(Endpoint(path: endpoint))
    }

    /// A string isn't an endpoint.
    @available(*, unavailable, message: "pass an Endpoint: a literal, or Endpoint(path:) for a path known at run time")
    public func head(_ endpoint: String) -> Request<Self, Void> {
        head(Endpoint(path: endpoint))
    }

    /// A string isn't an endpoint.
    @available(*, unavailable, message: "pass an Endpoint: a literal, or Endpoint(path:) for a path known at run time")
    public func options(_ endpoint: String) -> Request<Self, Void> {
        options(Endpoint(path: endpoint))
    }

    /// A string isn't an endpoint.
    @available(*, unavailable, message: "pass an Endpoint: a literal, or Endpoint(path:) for a path known at run time")
    public func trace(_ endpoint: String) -> Request<Self, Void> {
        trace(Endpoint(path: endpoint))
    }
}
