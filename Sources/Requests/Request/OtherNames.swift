// Names that users of other libraries try first. Each says what to write.

extension PreparableRequest {
    /// A `GET` request says what it receives.
    @available(*, unavailable, message: "say what to receive: .get(.text, from: url), .get(json: User.self, from: url)")
    public static func get(_ url: Endpoint) -> Self where Self == Request<BaseURL, Void> { .head(url) }

    /// A query, fields and a decoder are added after it.
    @available(*, unavailable, message: "write .adding(query:) or .setting(\"Name\", value) after it; .json(decoder:)")
    public static func get<R: Decodable & Sendable>(
        json type: R.Type,
        from url: Endpoint,
        query: Query = [:],
        headers: Header = .empty,
        decoder: JSONDecoder = JSONDecoder()
    ) -> Self where Self == Request<BaseURL, R> { .get(json: type, from: url) }

    /// A form, a file and multipart are bodies.
    @available(*, unavailable, message: "write .post(.form([\"name\": \"Ada\"]), to: url)")
    public static func post(form: Query, to url: Endpoint) -> Self where Self == Request<BaseURL, Void> { .head(url) }

    /// A form, a file and multipart are bodies.
    @available(*, unavailable, message: "write .post(.file(file), to: url)")
    public static func post(file: URL, to url: Endpoint) -> Self where Self == Request<BaseURL, Void> { .head(url) }

    /// A form, a file and multipart are bodies.
    @available(*, unavailable, message: "write .put(.file(file), to: url)")
    public static func put(file: URL, to url: Endpoint) -> Self where Self == Request<BaseURL, Void> { .head(url) }

    /// A form, a file and multipart are bodies.
    @available(*, unavailable, message: "write .post(.multipart([.field(\"name\", \"Ada\")]), to: url)")
    public static func post<B>(multipart: B, to url: Endpoint) -> Self where Self == Request<BaseURL, Void> {
        .head(url)
    }

    /// A URL that is known only at run time has another label.
    @available(*, unavailable, message: "write .get(.text, at: url) for a URL that is known only at run time")
    public static func get<R>(_ decoder: ResponseDecoder<R>, from url: URL) -> Self where Self == Request<BaseURL, R> {
        .get(decoder, at: url)
    }

    /// A URL that is known only at run time has another label.
    @available(*, unavailable, message: "write .get(json: User.self, at: url) for a URL that is known only at run time")
    public static func get<R: Decodable & Sendable>(json type: R.Type, from url: URL) -> Self
    where Self == Request<BaseURL, R> {
        .get(json: type, at: url)
    }
}

extension Request {
    /// Each timeout has a name.
    @available(*, unavailable, message: "write .timeouts(total:), or .timeouts(idle:) for the time without a byte")
    public func timeout(_ duration: Duration) -> Request { timeouts(total: duration) }

    /// A token is a provider.
    @available(*, unavailable, message: "write .authenticated(with: .bearerToken(token))")
    public func bearer(_ token: String) -> Request { authenticated(with: .bearerToken(token)) }

    /// A user name with a password is a provider.
    @available(*, unavailable, message: "write .authenticated(with: .basicAuth(username:password:))")
    public func basic(_ username: String, _ password: String) -> Request { self }

    /// Items of a query are added or replaced.
    @available(*, unavailable, message: "write .adding(query: [\"page\": 2]), or .with(query:) to replace all items")
    public func query(_ query: Query) -> Request { adding(query: query) }

    /// Fields are set or added.
    @available(*, unavailable, message: "write .setting(\"Name\", value), or .with(header:) to replace the header")
    public func headers(_ header: Header) -> Request { with(header: header) }

    /// The header.
    @available(*, unavailable, renamed: "header")
    public var headers: Header {
        get { header }
        set {}
    }

    /// A status other than a success is an error.
    @available(*, unavailable, message: "not needed: a status that configuration.validation rejects is an error")
    public func validate<S>(statusCodes: S) -> Request { self }

    /// A status other than a success is an error.
    @available(*, unavailable, message: "not needed: a status that configuration.validation rejects is an error")
    public func validate() -> Request { self }
}

extension RequestProviding {
    /// A form, a file and multipart are bodies.
    @available(*, unavailable, message: "write post(.form([\"name\": \"Ada\"]), to: path)")
    public func post(form: Query, to endpoint: Endpoint) -> Request<Self, Void> { post(.none, to: endpoint) }

    /// A form, a file and multipart are bodies.
    @available(*, unavailable, message: "write post(.file(file), to: path)")
    public func post(file: URL, to endpoint: Endpoint) -> Request<Self, Void> { post(.none, to: endpoint) }

    /// A form, a file and multipart are bodies.
    @available(*, unavailable, message: "write put(.file(file), to: path)")
    public func put(file: URL, to endpoint: Endpoint) -> Request<Self, Void> { put(.none, to: endpoint) }
}

extension PreparedRequest {
    /// The header.
    @available(*, unavailable, renamed: "header")
    public var headers: Header { header }
}

extension RedirectPolicy {
    /// Not `nil`, which is the client's policy.
    @available(*, unavailable, renamed: "never")
    public static var none: RedirectPolicy { .never }

    /// A number of redirects.
    @available(*, unavailable, renamed: "follow(limit:)")
    public static func limit(_ limit: Int) -> RedirectPolicy { .follow(limit: limit) }
}

extension RetryPolicy {
    /// Not `nil`, which is the client's policy.
    @available(*, unavailable, renamed: "never")
    public static var none: RetryPolicy { .never }
}

extension AuthenticationProvider {
    /// A bearer token.
    @available(*, unavailable, renamed: "bearerToken(_:)")
    public static func bearer(_ token: String) -> AuthenticationProvider { .bearerToken(token) }

    /// A user name with a password.
    @available(*, unavailable, renamed: "basicAuth(username:password:)")
    public static func basic(_ username: String, _ password: String) -> AuthenticationProvider {
        .basicAuth(username: username, password: password)
    }

    /// A user name with a password.
    @available(*, unavailable, renamed: "basicAuth(username:password:)")
    public static func basic(username: String, password: String) -> AuthenticationProvider {
        .basicAuth(username: username, password: password)
    }
}

extension Response {
    /// The status code.
    @available(*, unavailable, renamed: "statusCode")
    public var status: Int { statusCode }

    /// The decoded value, or the bytes.
    @available(*, unavailable, renamed: "content")
    public var body: Content { content }

    /// The decoded value, or the bytes.
    @available(*, unavailable, renamed: "content")
    public var value: Content { content }

    /// The header.
    @available(*, unavailable, renamed: "header")
    public var headers: Header { header }
}

extension RequestError {
    /// The request wasn't built, so there is no response.
    @available(*, unavailable, message: "a RequestError has no response; catch a ResponseError for its statusCode")
    public var statusCode: Int { 0 }
}

extension RequestError.Code {
    /// A request that was built can time out.
    @available(*, unavailable, message: "catch a TransportError, and write error.isTimeout")
    public static var timeout: RequestError.Code { .invalidHost }

    /// A request that was built can time out.
    @available(*, unavailable, message: "catch a TransportError, and write error.isTimeout")
    public static var timedOut: RequestError.Code { .invalidHost }
}

extension ResponseError {
    /// The status code.
    @available(*, unavailable, renamed: "statusCode")
    public var status: Int { head.statusCode }
}

extension TransportError {
    /// There was no complete response, so there is no status.
    @available(*, unavailable, message: "a TransportError has no response; a ResponseError has a statusCode")
    public var status: Int { 0 }
}

extension TransportError.Code {
    /// The limit is a part of the code.
    @available(*, unavailable, message: "write error.isTimeout for any limit, or .timedOut(.total)")
    public static var timedOut: TransportError.Code { .timedOut(.total) }
}
