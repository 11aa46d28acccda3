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
/// Endpoints are equal if their paths and queries are, however they were written.
///
/// Specification: RFC 3986 §3.3, §3.4.
public struct Endpoint: Hashable, Sendable {
    let form: Form

    enum Form: Hashable {
        /// Below the base URL.
        case relative(Target)
        /// A URL that a server sent.
        indirect case link(url: String, OriginRule)
        /// A literal that starts with a scheme and authority. Only a request without an API can use it.
        indirect case literalURL(origin: String, Target)
        /// No request can be built.
        indirect case invalid(RequestError, Target)
    }

    init(_ form: Form) { self.form = form }

    /// The path as written, with interpolated values encoded.
    public var path: String { target.path }

    /// The query as written, with interpolated values encoded and without `?`. `nil` if there is none.
    public var query: String? { target.query }

    /// The endpoint with `{}` in the place of each interpolated value, or its URI template as written. `nil` if it was
    /// created from a string at run time.
    public var template: String? { target.template }

    private var target: Target {
        switch form {
        case .relative(let target), .literalURL(_, let target), .invalid(_, let target): return target
        case .link(let url, _):
            let path = url.utf8.dropFirst(url.originLength).prefix { byte in
                byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
            }
            return Target(path: String(Substring(path)), wording: .opaque)
        }
    }

    /// Creates an endpoint from a path that is known only at run time.
    ///
    /// The whole string is one path: `?` and `#` are encoded. Interpolate untrusted values instead, so that they can't
    /// leave their segment.
    public init(path: String) { self.init(.relative(Target(path: path, wording: .opaque))) }

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
        let path = PercentEncoding.encoded(key, keeping: PercentEncoding.key)
        self.init(.relative(Target(path: path, wording: .key)))
    }

    /// - Parameter template: The URI template that was expanded.
    package init(path: String, query: String?, template: String) {
        self.init(.relative(Target(path: path, query: query, wording: .bytes(Array(template.utf8)))))
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
    /// let next = api.get(
    ///     json: Page.self,
    ///     from: Endpoint(absolute: page.next, origin: .same)
    /// )
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
    package init(link url: String, origin: OriginRule) { self.init(.link(url: url, origin)) }

    /// Returns the endpoint with a prefix, joined with one `/`.
    ///
    /// ```swift
    /// struct VersionedAPI: RequestProviding {
    ///     let baseURL = URL("https://api.example.com")
    ///
    ///     func request(
    ///         to endpoint: Endpoint,
    ///         using method: HTTPMethod
    ///     ) -> Request<VersionedAPI, Void> {
    ///         Request(
    ///             api: self,
    ///             endpoint: endpoint.prefixed(by: "/v2"),
    ///             responseDecoder: .none,
    ///             method: method
    ///         )
    ///     }
    /// }
    /// ```
    ///
    /// The prefix's query comes first. An absolute endpoint stays as it is. A prefix that is an absolute URL makes
    /// building throw.
    public func prefixed(by prefix: Endpoint) -> Endpoint {
        switch prefix.form {
        case .invalid: return prefix
        case .link(let url, _): return Endpoint(.invalid(.absolutePrefix(url), prefix.target))
        case .literalURL(let origin, let target):
            return Endpoint(.invalid(.absolutePrefix(origin + target.path), target))
        case .relative(let first):
            guard case .relative(let target) = form else { return self }
            return Endpoint(.relative(target.prefixed(by: first)))
        }
    }

    /// Splits a literal URL into its origin and the rest.
    ///
    /// - Returns: An endpoint that throws when it is built, if this one isn't an absolute URL.
    func relativeToOrigin() -> (baseURL: URL, endpoint: Endpoint) {
        let unused = URL("https://invalid")
        switch form {
        case .invalid: return (unused, self)
        case .link(let url, _): return (URL(string: url) ?? unused, self)
        case .relative(let target): return (unused, Endpoint(.invalid(.notAnAbsoluteURL(target.path), target)))
        case .literalURL(let origin, let target):
            guard let baseURL = URL(string: origin) else {
                return (unused, Endpoint(.invalid(.notAnAbsoluteURL(origin + target.path), target)))
            }
            return (baseURL, Endpoint(.relative(target)))
        }
    }
}

extension Endpoint: ExpressibleByStringInterpolation {
    /// Creates an endpoint from a literal.
    public init(stringLiteral value: String) {
        // Most literals are plain paths.
        guard value.withBytes({ unsafe $0.contains(where: StringInterpolation.isSpecial) }) else {
            self.init(.relative(Target(path: value, wording: .literal)))
            return
        }
        var interpolation = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        interpolation.appendLiteral(value)
        self.init(stringInterpolation: interpolation)
    }

    /// Creates an endpoint from a literal with values in it.
    public init(stringInterpolation: StringInterpolation) {
        let target = stringInterpolation.target
        if let failure = stringInterpolation.failure {
            self.init(.invalid(failure, target))
        } else if let origin = stringInterpolation.origin {
            self.init(.literalURL(origin: origin, target))
        } else {
            self.init(.relative(target))
        }
    }
}

extension Endpoint: Redacted {
    /// The path as written.
    public var description: String { path }
}

extension Endpoint {
    /// A path with a query, and how they were written.
    struct Target: Hashable, Sendable {
        var path: String
        var query: String?
        var wording: Wording
    }

    /// How an endpoint was written, which determines its template.
    enum Wording: Sendable {
        /// As a string at run time, which may have any number of values.
        case opaque
        /// As an encoded key, whose slashes are all kept.
        case key
        case literal
        /// With values between marks, or as a URI template.
        case bytes([UInt8])
    }

    /// Stands before and after a value in the bytes of an endpoint. Never a part of UTF-8.
    static let valueMark: UInt8 = 0xFF

    /// Returns bytes as a string without the marks, or with `{}` in the place of each value.
    static func text(of bytes: ArraySlice<UInt8>, asTemplate: Bool = false) -> String {
        unsafe String(unsafeUninitializedCapacity: bytes.count) { buffer in
            var (count, isValue) = (0, false)
            for byte in bytes {
                let isMark = byte == valueMark
                if isMark { isValue.toggle() }
                guard asTemplate ? isMark || !isValue : !isMark else { continue }
                unsafe buffer[count] = isMark ? UInt8(ascii: isValue ? "{" : "}") : byte
                count += 1
            }
            return count
        }
    }
}

extension Endpoint.Target {
    /// Whether slashes at the start of the path and an empty path are part of it.
    var isKey: Bool { if case .key = wording { true } else { false } }

    var template: String? {
        switch wording {
        case .opaque, .key: nil
        case .literal: query.map { "\(path)?\($0)" } ?? path
        case .bytes(let bytes): Endpoint.text(of: bytes[...], asTemplate: true)
        }
    }

    func prefixed(by prefix: Self) -> Self {
        let queries = [prefix.query, query].compactMap(\.self)
        let query = queries.isEmpty ? nil : queries.joined(separator: "&")
        if isKey || prefix.isKey { return Self(path: keyPath(below: prefix), query: query, wording: .key) }
        return Self(path: path.joined(to: prefix.path), query: query, wording: wording(prefixedBy: prefix))
    }

    /// The slash after the base URL isn't part of a key, so the joined path doesn't start with it.
    private func keyPath(below prefix: Self) -> String {
        guard isKey || !path.isEmpty else { return prefix.path }
        let first = prefix.isKey ? prefix.path.withoutTrailingSlashes : prefix.path.withoutOuterSlashes
        let rest = isKey ? path : path.withoutLeadingSlashes
        return first.isEmpty ? rest : "\(first)/\(rest)"
    }

    private func wording(prefixedBy prefix: Self) -> Endpoint.Wording {
        if case (.literal, .literal) = (prefix.wording, wording) { return .literal }
        guard let first = prefix.template, let template else { return .opaque }
        let (start, rest) = (first.split(at: "?"), template.split(at: "?"))
        let queries = [start.1, rest.1].compactMap(\.self)
        let path = String(rest.0).joined(to: String(start.0))
        return .bytes(Array((queries.isEmpty ? path : path + "?" + queries.joined(separator: "&")).utf8))
    }

    /// Compares the resulting paths and queries, however they were written.
    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.path == rhs.path && lhs.query == rhs.query && lhs.isKey == rhs.isKey
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(query)
    }
}

extension String {
    fileprivate var withoutLeadingSlashes: String { String(drop { $0 == "/" }) }

    fileprivate var withoutTrailingSlashes: String { String(reversed().drop { $0 == "/" }.reversed()) }

    fileprivate var withoutOuterSlashes: String { withoutTrailingSlashes.withoutLeadingSlashes }

    /// Returns the path after a prefix and one slash.
    fileprivate func joined(to prefix: String) -> String {
        isEmpty ? prefix : "\(prefix.withoutTrailingSlashes)/\(withoutLeadingSlashes)"
    }
}
