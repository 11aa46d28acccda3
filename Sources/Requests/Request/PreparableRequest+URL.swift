extension BaseURL {
    /// A URL that is known only at run time: a `URL`, or text that may be none.
    public protocol Convertible: Sendable {
        /// The error for a value that isn't a URL. `Never` for `URL`.
        associatedtype Failure: Error

        /// Returns the value as a URL.
        static func url(from value: Self) throws(Failure) -> URL
    }
}

extension URL: BaseURL.Convertible {
    /// Returns the URL.
    public static func url(from value: URL) -> URL { value }
}

extension String: BaseURL.Convertible {
    /// Parses an absolute URL.
    ///
    /// - Throws: ``RequestError`` that names the fault, for any other text.
    public static func url(from value: String) throws(RequestError) -> URL {
        guard let url = URL(string: try RequestURL(value).text) else {
            throw RequestError(code: .notAFoundationURL, subject: "url", message: "Foundation doesn't accept it.")
        }
        return url
    }
}

/// Requests to a URL that is known only at run time, such as one that a user has entered. With text they throw if it
/// isn't a URL.
///
/// ```swift
/// let page = try await client.send(
///     .get(.text, at: CommandLine.arguments[1])
/// )
/// ```
///
/// For a URL that is written in the code, with interpolated values, use the verbs with `from:` and `to:`.
extension PreparableRequest {
    /// A `GET` request for a resource.
    public static func get<Resource, Target: BaseURL.Convertible>(
        _ decoder: ResponseDecoder<Resource>,
        at url: Target
    ) throws(Target.Failure) -> Self where Self == Request<BaseURL, Resource> {
        try BaseURL.request(at: url, using: .get).receiving(decoder)
    }

    /// A `GET` request for a value in JSON.
    public static func get<Resource: Decodable & Sendable, Target: BaseURL.Convertible>(
        json type: Resource.Type,
        at url: Target
    ) throws(Target.Failure) -> Self where Self == Request<BaseURL, Resource> {
        try get(.json(type), at: url)
    }

    /// A `HEAD` request.
    public static func head<Target: BaseURL.Convertible>(at url: Target) throws(Target.Failure) -> Self
    where Self == Request<BaseURL, Void> {
        try BaseURL.request(at: url, using: .head)
    }

    /// A `DELETE` request.
    public static func delete<Target: BaseURL.Convertible>(at url: Target) throws(Target.Failure) -> Self
    where Self == Request<BaseURL, Void> {
        try BaseURL.request(at: url, using: .delete)
    }

    /// A `POST` request with a body.
    public static func post<Target: BaseURL.Convertible>(_ body: BodyProvider, at url: Target) throws(Target.Failure)
        -> Self
    where Self == Request<BaseURL, Void> {
        try BaseURL.request(at: url, using: .post).sending(body)
    }

    /// A `POST` request with a body, for a value in JSON.
    public static func post<Resource: Decodable & Sendable, Target: BaseURL.Convertible>(
        _ body: BodyProvider,
        at url: Target,
        receiving type: Resource.Type
    ) throws(Target.Failure) -> Self where Self == Request<BaseURL, Resource> {
        try BaseURL.request(at: url, using: .post).sending(body).receiving(json: type)
    }

    /// A `POST` request with a value as JSON.
    public static func post<Target: BaseURL.Convertible>(
        json value: some Encodable,
        at url: Target
    ) throws(Target.Failure) -> Self where Self == Request<BaseURL, Void> {
        try post(.json(encoded: value), at: url)
    }

    /// A `POST` request with a value as JSON, for a value in JSON.
    public static func post<Resource: Decodable & Sendable, Target: BaseURL.Convertible>(
        json value: some Encodable,
        at url: Target,
        receiving type: Resource.Type
    ) throws(Target.Failure) -> Self where Self == Request<BaseURL, Resource> {
        try post(.json(encoded: value), at: url, receiving: type)
    }

    /// A `PUT` request with a body.
    public static func put<Target: BaseURL.Convertible>(_ body: BodyProvider, at url: Target) throws(Target.Failure)
        -> Self
    where Self == Request<BaseURL, Void> {
        try BaseURL.request(at: url, using: .put).sending(body)
    }

    /// A `PUT` request with a body, for a value in JSON.
    public static func put<Resource: Decodable & Sendable, Target: BaseURL.Convertible>(
        _ body: BodyProvider,
        at url: Target,
        receiving type: Resource.Type
    ) throws(Target.Failure) -> Self where Self == Request<BaseURL, Resource> {
        try BaseURL.request(at: url, using: .put).sending(body).receiving(json: type)
    }

    /// A `PUT` request with a value as JSON.
    public static func put<Target: BaseURL.Convertible>(
        json value: some Encodable,
        at url: Target
    ) throws(Target.Failure) -> Self where Self == Request<BaseURL, Void> {
        try put(.json(encoded: value), at: url)
    }

    /// A `PUT` request with a value as JSON, for a value in JSON.
    public static func put<Resource: Decodable & Sendable, Target: BaseURL.Convertible>(
        json value: some Encodable,
        at url: Target,
        receiving type: Resource.Type
    ) throws(Target.Failure) -> Self where Self == Request<BaseURL, Resource> {
        try put(.json(encoded: value), at: url, receiving: type)
    }

    /// A `PATCH` request with a body.
    public static func patch<Target: BaseURL.Convertible>(
        _ body: BodyProvider,
        at url: Target
    ) throws(Target.Failure) -> Self where Self == Request<BaseURL, Void> {
        try BaseURL.request(at: url, using: .patch).sending(body)
    }

    /// A `PATCH` request with a body, for a value in JSON.
    public static func patch<Resource: Decodable & Sendable, Target: BaseURL.Convertible>(
        _ body: BodyProvider,
        at url: Target,
        receiving type: Resource.Type
    ) throws(Target.Failure) -> Self where Self == Request<BaseURL, Resource> {
        try BaseURL.request(at: url, using: .patch).sending(body).receiving(json: type)
    }

    /// A `PATCH` request with a value as JSON.
    public static func patch<Target: BaseURL.Convertible>(
        json value: some Encodable,
        at url: Target
    ) throws(Target.Failure) -> Self where Self == Request<BaseURL, Void> {
        try patch(.json(encoded: value), at: url)
    }

    /// A `PATCH` request with a value as JSON, for a value in JSON.
    public static func patch<Resource: Decodable & Sendable, Target: BaseURL.Convertible>(
        json value: some Encodable,
        at url: Target,
        receiving type: Resource.Type
    ) throws(Target.Failure) -> Self where Self == Request<BaseURL, Resource> {
        try patch(.json(encoded: value), at: url, receiving: type)
    }
}

extension BaseURL {
    fileprivate static func request<Target: BaseURL.Convertible>(
        at url: Target,
        using method: HTTPMethod
    ) throws(Target.Failure) -> Request<BaseURL, Void> {
        BaseURL(try Target.url(from: url)).request(to: "", using: method)
    }
}
