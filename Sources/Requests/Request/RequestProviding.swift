import Foundation

/// An API: where it is, and what all its requests have in common.
///
/// ```swift
/// struct GitHub: RequestProviding {
///     let baseURL = URL("https://api.github.com")
///
///     func request(to endpoint: String, using method: HTTPMethod) -> Request<GitHub, Void> {
///         Request(api: self, endpoint: endpoint, responseDecoder: .none, method: method)
///             .adding(headerField: .userAgent("example"))
///     }
/// }
/// ```
public protocol RequestProviding: Sendable {
    /// The URL that all endpoints are below.
    var baseURL: URL { get }

    /// What the `json:` verbs encode with, and what every ``ResponseDecoder`` of this library reads JSON with that is given
    /// no other; plain coders by default.
    var coders: JSONCoders { get }

    /// Makes the request that all verbs start from. An implementation of your own adds what every request of the API has.
    ///
    /// Here the path is text, whose interpolated values are not kept apart: a request of another method than those of the
    /// verbs is `get(.none, from: "/users/\(id)").using(method: .options)`.
    func request(to endpoint: String, using method: HTTPMethod) -> Request<Self, Void>
}

extension RequestProviding {
    /// Plain coders.
    public var coders: JSONCoders { .standard }

    /// A request without header, query, body or authentication.
    @inlinable public consuming func request(to endpoint: String, using method: HTTPMethod) -> Request<Self, Void> {
        Request(api: self, endpoint: endpoint, responseDecoder: .none, method: method)
    }

    /// Makes a request to an endpoint through ``request(to:using:)-(String,_)``, keeping all of the endpoint.
    ///
    /// The path is what `request(to:using:)` made of it, so that an API can put a prefix before every path.
    @inlinable func request(to endpoint: Endpoint, using method: HTTPMethod) -> Request<Self, Void> {
        var request = request(to: endpoint.path, using: method)
        request.content.resolvedEndpoint.takeAllButPath(of: endpoint)
        return request
    }
}

/// An API that has no type of its own.
public struct AnonymousRequestProvider: RequestProviding {
    /// The URL that all endpoints are below.
    public let baseURL: URL

    /// Creates an API at a URL.
    public init(baseURL: URL) {
        self.baseURL = baseURL
    }

    /// Creates an API at a URL that is a literal.
    public init(_ url: StaticString) {
        self.baseURL = URL(url)
    }
}
