/// A path below an API's base URL, with an optional query, into which values are interpolated safely.
///
/// ```swift
/// let posts = api.get(.text, from: "/users/\(name)/posts")
/// let search = api.get(.text, from: "/search?q=\(term)&limit=10")
/// ```
///
/// The literal is trusted: its `?` starts a query, existing percent-encoding is kept, and everything else that isn't
/// allowed in a URL is encoded. A `#`, and a `.` or `..` segment make building throw a ``RequestError``. So does a
/// leading `scheme://`, unless the request has no API (``PreparableRequest/get(json:from:)``).
///
/// An interpolated value is never trusted: everything but unreserved characters is encoded, so it can't leave its path
/// segment or its query value. See ``StringInterpolation``.
///
/// Specification: RFC 3986 §3.3, §3.4.
public struct Endpoint: Sendable {
    /// The path as written, with interpolated values encoded.
    public private(set) var path: String

    /// The query as written, with interpolated values encoded and without `?`. `nil` if there is none.
    public private(set) var query: String?

    /// The rare cases in one word, because every copy of a request copies its endpoint.
    private var special: Special?

    private indirect enum Special: Hashable {
        case invalid(RequestError)
        case absolute(String, OriginRule)
        /// The path is an encoded key, whose slashes are all kept.
        case key
        /// A literal that starts with this scheme and authority. Only a request without an API can use it.
        case literalURL(origin: String)
    }

    /// How the endpoint was written.
    var wording = Wording.opaque

    /// Creates an endpoint from a path that is known only at run time.
    ///
    /// The whole string is one path: `?` and `#` are encoded. Interpolate untrusted values instead, so that they can't
    /// leave their segment.
    public init(path: String) {
        self.path = path
    }

    /// Creates an endpoint from the key of an object store, such as `2026//report+1.csv` in S3.
    ///
    /// ```swift
    /// let object = api.get(.data, from: Endpoint(key: key))
    /// ```
    ///
    /// `/` separates segments, which may be empty, also at the start and at the end. Everything else is data: nothing
    /// counts as percent-encoded, and everything but unreserved characters is encoded. The empty key is the base URL
    /// with a `/` at its end. A `.` or `..` segment makes building throw, because servers resolve it.
    public init(key: String) {
        self.path = PercentEncoding.encoded(key, keeping: PercentEncoding.key)
        special = .key
    }

    /// - Parameter template: The URI template that was expanded.
    package init(path: String, query: String?, template: String) {
        self.path = path
        self.query = query
        wording = .bytes(Array(template.utf8))
    }

    /// Whether a link may lead away from an API.
    public enum OriginRule: Hashable, Sendable {
        /// The link must have the scheme, host and port of the base URL.
        case same
        /// The link may lead anywhere. The request's credentials are sent there.
        case any
    }

    /// Creates an endpoint from a URL that a server sent, such as a link to the next page.
    ///
    /// ```swift
    /// let next = api.get(json: Page.self, from: Endpoint(absolute: page.next, origin: .same))
    /// ```
    ///
    /// The request goes to this URL whatever the base URL's path. The URL's fragment is dropped. The request's query
    /// items follow the URL's own.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL. Building the request throws if it is anything else.
    ///   - origin: Whether the URL may lead away from the API. With ``OriginRule/same`` building throws
    ///     ``RequestError/Code/otherOrigin`` if it does.
    public init(absolute url: URL, origin: OriginRule) {
        self.init(link: url.absoluteString, origin: origin)
    }

    /// - Parameter url: A URL, which is checked when the request is built.
    package init(link url: String, origin: OriginRule) {
        let path = url.utf8.dropFirst(url.originLength).prefix { byte in
            byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
        }
        self.path = String(Substring(path))
        special = .absolute(url, origin)
    }

    /// Returns the endpoint with a prefix, joined with one `/`.
    ///
    /// ```swift
    /// struct VersionedAPI: RequestProviding {
    ///     let baseURL = URL("https://api.example.com")
    ///
    ///     func request(to endpoint: Endpoint, using method: HTTPMethod) -> Request<VersionedAPI, Void> {
    ///         Request(api: self, endpoint: endpoint.prefixed(by: "/v2"), responseDecoder: .none, method: method)
    ///     }
    /// }
    /// ```
    ///
    /// The prefix's query comes first. An absolute endpoint stays as it is.
    public func prefixed(by prefix: Endpoint) -> Endpoint {
        if case .absolute = special { return self }
        var joined = self
        if isKey || prefix.isKey {
            // The slash after the base URL isn't part of a key, so the prefix doesn't start with it.
            let first = prefix.isKey ? prefix.path.withoutTrailingSlashes : prefix.path.withoutOuterSlashes
            let rest = isKey ? path : path.withoutLeadingSlashes
            joined.path = first.isEmpty ? rest : "\(first)/\(rest)"
        } else {
            joined.path = path.joined(to: prefix.path)
        }
        joined.query = query.map { [prefix.query, $0].compactMap(\.self).joined(separator: "&") } ?? prefix.query
        joined.special = prefix.special ?? special
        joined.wording = wording(prefixedBy: prefix)
        return joined
    }

    /// Throws if no request can be built to this endpoint.
    func validate() throws(RequestError) {
        switch special {
        case .invalid(let error): throw error
        case .literalURL(let origin): throw .absoluteEndpoint(origin + path)
        case .absolute, .key, nil: break
        }
    }

    /// Splits a literal URL into its origin and the rest.
    ///
    /// - Returns: An endpoint that throws when it is built, if this one isn't an absolute URL.
    func relativeToOrigin() -> (baseURL: URL, endpoint: Endpoint) {
        let unused = URL("https://invalid")
        var endpoint = self
        switch special {
        case .invalid: return (unused, self)
        case .absolute(let url, _): return (URL(string: url) ?? unused, self)
        case .literalURL(let origin):
            if let baseURL = URL(string: origin) {
                endpoint.special = nil
                return (baseURL, endpoint)
            }
            endpoint.special = .invalid(.notAnAbsoluteURL(origin + path))
        case .key, nil: endpoint.special = .invalid(.notAnAbsoluteURL(path))
        }
        return (unused, endpoint)
    }

    /// Whether slashes at the start of the path and an empty path are part of it.
    var isKey: Bool { special == .key }

    /// The absolute URL; `nil` if the endpoint is relative to the base URL.
    var link: (url: String, rule: OriginRule)? {
        if case .absolute(let url, let rule) = special { (url, rule) } else { nil }
    }
}

extension Endpoint: ExpressibleByStringInterpolation {
    /// Creates an endpoint from a literal.
    public init(stringLiteral value: String) {
        // Most literals are plain paths.
        guard value.withBytes({ unsafe $0.contains(where: StringInterpolation.isSpecial) }) else {
            self.init(path: value)
            wording = .literal
            return
        }
        var interpolation = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        interpolation.appendLiteral(value)
        self.init(stringInterpolation: interpolation)
    }

    /// Creates an endpoint from a literal with values in it.
    public init(stringInterpolation: StringInterpolation) {
        (path, query) = stringInterpolation.parts
        wording = stringInterpolation.isMarked ? .bytes(stringInterpolation.bytesAfterOrigin) : .literal
        if let failure = stringInterpolation.failure {
            special = .invalid(failure)
        } else if let origin = stringInterpolation.origin {
            special = .literalURL(origin: origin)
        }
    }
}

extension Endpoint: CustomStringConvertible, CustomReflectable {
    /// The path as written.
    public var description: String { path }

    /// The path alone, because a query may contain secrets.
    public var customMirror: Mirror { Mirror(self, children: ["path": path]) }
}

extension Endpoint: Hashable {
    /// Compares the resulting paths and queries, however they were written.
    public static func == (lhs: Endpoint, rhs: Endpoint) -> Bool {
        lhs.path == rhs.path && lhs.query == rhs.query && lhs.special == rhs.special
    }

    /// Hashes the path and the query.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(query)
        hasher.combine(special)
    }
}
