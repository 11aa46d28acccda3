import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request as a value: where to, what to send, how to read the answer.
///
/// A type of its own for a request declares four things; all else has a default:
///
/// ```swift
/// struct Bio: RequestConvertible {
///     typealias Resource = String
///     let id: Int
///     var baseURL: URL { URL("https://api.example.com") }
///     var endpoint: String { Endpoint("/users/\(id)/bio").path }
///     var method: HTTPMethod { .get }
/// }
/// ```
///
/// Requests of an API that has many are shorter as ``Request`` values, which a ``RequestProviding`` type makes.
public protocol RequestConvertible<Resource>: Sendable, CustomStringConvertible {
    /// What the response is decoded to.
    associatedtype Resource: Sendable

    /// The URL that the endpoint is below: `http` or `https`, with a host. It is read once for each build.
    var baseURL: URL { get }

    /// The path below the base URL, joined with one `/`; empty for the base URL itself.
    ///
    /// Everything that is not allowed in a path is encoded, `?` and `#` included; what is encoded already stays.
    /// Values from outside belong in an ``Endpoint``, whose ``Endpoint/path`` is safe here.
    var endpoint: String { get }

    /// The endpoint with all that belongs to it. The default is `Endpoint(path: endpoint)`.
    var resolvedEndpoint: Endpoint { get }

    /// The method.
    var method: HTTPMethod { get }

    /// The header; empty by default. The body and the authentication provider have the last word on it.
    var header: Header { get }

    /// The query items, after those of the base URL; none by default.
    var queryItems: [URLQueryItem] { get }

    /// What a cache may answer; `useProtocolCachePolicy` by default.
    var cachePolicy: URLRequest.CachePolicy { get }

    /// The idle timeout in seconds; 60 by default, which leaves it to the client.
    var timeoutInterval: TimeInterval { get }

    /// Makes the body; `.none` by default.
    var bodyProvider: BodyProvider { get }

    /// Reads the response. `Void`, `String` and `Data` have defaults.
    var responseDecoder: ResponseDecoder<Resource> { get }

    /// Proves who makes the request; `.none` by default. Runs after the body provider.
    var authenticationProvider: AuthenticationProvider { get }

    /// What is asked of the transport. What is set here wins over `cachePolicy` and `timeoutInterval`.
    var options: RequestOptions { get }

    /// Is told what happens to each exchange that the request takes; `nil`, the default, for nobody. See
    /// ``PreparedRequest/observer``.
    var observer: (@Sendable (TransportEvent) -> Void)? { get }
}

extension RequestConvertible {
    /// The endpoint as a path.
    public var resolvedEndpoint: Endpoint { Endpoint(path: endpoint) }
    /// No fields.
    public var header: Header { .empty }
    /// No items.
    public var queryItems: [URLQueryItem] { [] }
    /// `useProtocolCachePolicy`.
    public var cachePolicy: URLRequest.CachePolicy { .useProtocolCachePolicy }
    /// 60 seconds.
    public var timeoutInterval: TimeInterval { Timeouts.defaultIdle / .seconds(1) }
    /// No body.
    public var bodyProvider: BodyProvider { .none }
    /// No authentication.
    public var authenticationProvider: AuthenticationProvider { .none }
    /// Nothing out of the ordinary.
    public var options: RequestOptions { RequestOptions() }
    /// Nobody.
    public var observer: (@Sendable (TransportEvent) -> Void)? { nil }
}

extension RequestConvertible where Resource == Void {
    /// Ignores the body.
    public var responseDecoder: ResponseDecoder<Void> { .none }
}

extension RequestConvertible where Resource == String {
    /// Text: ``ResponseDecoder/text``.
    public var responseDecoder: ResponseDecoder<String> { .text }
}

extension RequestConvertible where Resource == Data {
    /// The bytes as they are.
    public var responseDecoder: ResponseDecoder<Data> { .data }
}

extension RequestConvertible {
    /// Method and URL, secrets hidden; what is wrong with them where there is no such request. Makes no body.
    public var description: String {
        do {
            try method.validate()
            return "\(method) \(try url(hiding: options.sensitiveQueryNames))"
        } catch {
            return "\(method) (\(Redaction.reason(error)))"
        }
    }
}
