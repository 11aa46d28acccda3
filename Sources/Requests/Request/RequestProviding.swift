/// An API: its base URL and everything that all its requests have in common.
///
/// ```swift
/// struct GitHub: RequestProviding {
///     let baseURL = URL("https://api.github.com")
///
///     func request(to endpoint: Endpoint, using method: HTTPMethod) -> Request<GitHub, Void> {
///         Request(api: self, endpoint: endpoint, responseDecoder: .none, method: method)
///             .adding(headerField: .userAgent("example"))
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
/// let user = try await client.send(BaseURL("https://api.example.com").get(json: User.self, from: "/me"))
/// ```
public struct BaseURL: RequestProviding {
    /// The base of the URLs of all requests.
    public let baseURL: URL

    /// Creates an API at a URL that is known at run time.
    public init(_ url: URL) {
        self.baseURL = url
    }

    /// Creates an API at a URL that is a literal.
    public init(_ url: StaticString) {
        self.baseURL = URL(url)
    }

    /// The same as `BaseURL(url)`, under its name in the library alexjohnj/Requests.
    public init(baseURL: URL) {
        self.baseURL = baseURL
    }
}

/// ``BaseURL`` under its name in the library alexjohnj/Requests, so that code for that library compiles.
public typealias AnonymousRequestProvider = BaseURL
