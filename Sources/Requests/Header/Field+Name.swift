extension Field {
    /// The name of a header field.
    ///
    /// Names are compared without regard to case and sent as written. Add your own names as static members:
    ///
    /// ```swift
    /// extension Field.Name {
    ///     static let applicationKey: Field.Name = "X-Application-Key"
    /// }
    /// ```
    ///
    /// Specification: RFC 9110 §5.1.
    public struct Name: RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible, Sendable {
        /// The name as written.
        public let rawValue: String

        /// Whether the name is a token. Checked once, because most names are static members.
        let isToken: Bool

        /// Whether fields of this name frame the message or select the host, so that they must match the request.
        let isFraming: Bool

        /// Creates a name. If it isn't a token, building a request with it throws.
        public init(rawValue: String) {
            self.rawValue = rawValue
            isToken = ASCII.isToken(rawValue)
            isFraming = Name.isFraming(rawValue)
        }

        /// Creates a name from a string that a parser found to be a token.
        package init(token rawValue: String) {
            self.rawValue = rawValue
            isToken = true
            isFraming = Name.isFraming(rawValue)
        }

        private static func isFraming(_ name: String) -> Bool {
            // The length excludes nearly all names.
            switch name.utf8.count {
            case 4: ASCII.equalsIgnoringCase(name, "Host")
            case 14: ASCII.equalsIgnoringCase(name, "Content-Length")
            case 17: ASCII.equalsIgnoringCase(name, "Transfer-Encoding")
            default: false
            }
        }

        /// Creates a name. If it isn't a token, building a request with it throws.
        public init(_ rawValue: String) { self.init(rawValue: rawValue) }

        /// Creates a name from a literal. If it isn't a token, building a request with it throws.
        public init(stringLiteral value: String) { self.init(rawValue: value) }

        /// The name as written.
        public var description: String { rawValue }

        /// Whether the name contains a word of credentials, such as `token` or `secret`.
        public var isSensitive: Bool { !isHarmless && Redaction.isSensitive(fieldName: rawValue) }
    }
}

extension Field.Name: Hashable {
    /// Compares without regard to ASCII case.
    public static func == (lhs: Field.Name, rhs: Field.Name) -> Bool {
        ASCII.equalsIgnoringCase(lhs.rawValue, rhs.rawValue)
    }

    /// Hashes without regard to ASCII case.
    public func hash(into hasher: inout Hasher) {
        var name = rawValue
        name.withUTF8 { name in
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: name.count) { lowercased in
                _ = unsafe lowercased.initialize(from: name.lazy.map(ASCII.lowercased))
                unsafe hasher.combine(bytes: UnsafeRawBufferPointer(lowercased))
            }
        }
    }
}

extension Field.Name {
    /// `Accept` (RFC 9110 §12.5.1).
    public static let accept: Field.Name = "Accept"
    /// `Accept-Encoding` (RFC 9110 §12.5.3).
    public static let acceptEncoding: Field.Name = "Accept-Encoding"
    /// `Accept-Language` (RFC 9110 §12.5.4).
    public static let acceptLanguage: Field.Name = "Accept-Language"
    /// `Authorization` (RFC 9110 §11.6.2).
    public static let authorization: Field.Name = "Authorization"
    /// `Cache-Control` (RFC 9111 §5.2).
    public static let cacheControl: Field.Name = "Cache-Control"
    /// `Content-Encoding` (RFC 9110 §8.4).
    public static let contentEncoding: Field.Name = "Content-Encoding"
    /// `Content-Length` (RFC 9110 §8.6).
    public static let contentLength: Field.Name = "Content-Length"
    /// `Content-Type` (RFC 9110 §8.3).
    public static let contentType: Field.Name = "Content-Type"
    /// `Cookie` (RFC 6265 §5.4).
    public static let cookie: Field.Name = "Cookie"
    /// `ETag` (RFC 9110 §8.8.3).
    public static let eTag: Field.Name = "ETag"
    /// `Host` (RFC 9110 §7.2).
    public static let host: Field.Name = "Host"
    /// `Idempotency-Key`.
    public static let idempotencyKey: Field.Name = "Idempotency-Key"
    /// `If-Match` (RFC 9110 §13.1.1).
    public static let ifMatch: Field.Name = "If-Match"
    /// `If-Modified-Since` (RFC 9110 §13.1.3).
    public static let ifModifiedSince: Field.Name = "If-Modified-Since"
    /// `If-None-Match` (RFC 9110 §13.1.2).
    public static let ifNoneMatch: Field.Name = "If-None-Match"
    /// `If-Range` (RFC 9110 §13.1.5).
    public static let ifRange: Field.Name = "If-Range"
    /// `If-Unmodified-Since` (RFC 9110 §13.1.4).
    public static let ifUnmodifiedSince: Field.Name = "If-Unmodified-Since"
    /// `Last-Modified` (RFC 9110 §8.8.2).
    public static let lastModified: Field.Name = "Last-Modified"
    /// `Location` (RFC 9110 §10.2.2).
    public static let location: Field.Name = "Location"
    /// `Proxy-Authorization` (RFC 9110 §11.7.2).
    public static let proxyAuthorization: Field.Name = "Proxy-Authorization"
    /// `Range` (RFC 9110 §14.2).
    public static let range: Field.Name = "Range"
    /// `Referer` (RFC 9110 §10.1.3).
    public static let referer: Field.Name = "Referer"
    /// `Retry-After` (RFC 9110 §10.2.3).
    public static let retryAfter: Field.Name = "Retry-After"
    /// `Set-Cookie` (RFC 6265 §4.1).
    public static let setCookie: Field.Name = "Set-Cookie"
    /// `Transfer-Encoding` (RFC 9112 §6.1).
    public static let transferEncoding: Field.Name = "Transfer-Encoding"
    /// `User-Agent` (RFC 9110 §10.1.5).
    public static let userAgent: Field.Name = "User-Agent"
    /// `WWW-Authenticate` (RFC 9110 §11.6.1).
    public static let wwwAuthenticate: Field.Name = "WWW-Authenticate"
}

extension Field.Name {
    /// Whether fields of this name carry no credentials, so that descriptions show their values.
    var isHarmless: Bool { Field.Name.harmless.contains(self) }

    /// Whether values of this name contain URLs, which may contain credentials.
    var holdsURLs: Bool { Field.Name.namesOfURLs.contains(self) }

    /// Names whose values are no credentials: registered ones, and the fields of uploads except `Upload-Metadata`.
    ///
    /// Specification: IANA, Hypertext Transfer Protocol (HTTP) Field Name Registry, tus 1.0.0, and
    /// draft-ietf-httpbis-resumable-upload.
    private static let harmless: Set<Field.Name> = [
        "Accept", "Accept-CH", "Accept-Charset", "Accept-Datetime", "Accept-Encoding", "Accept-Language",
        "Accept-Patch", "Accept-Post", "Accept-Query", "Accept-Ranges", "Access-Control-Allow-Credentials",
        "Access-Control-Allow-Headers", "Access-Control-Allow-Methods", "Access-Control-Allow-Origin",
        "Access-Control-Expose-Headers", "Access-Control-Max-Age", "Access-Control-Request-Headers",
        "Access-Control-Request-Method", "Age", "Allow", "Alt-Svc", "Alt-Used", "Cache-Control", "Cache-Status",
        "CDN-Cache-Control", "Clear-Site-Data", "Connection", "Content-Digest", "Content-Disposition",
        "Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Range",
        "Content-Security-Policy", "Content-Type", "Cross-Origin-Embedder-Policy", "Cross-Origin-Opener-Policy",
        "Cross-Origin-Resource-Policy", "Date", "Deprecation", "Depth", "Destination", "Digest", "ETag", "Expect",
        "Expires", "Host", "Idempotency-Key", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range",
        "If-Unmodified-Since", "Keep-Alive", "Last-Event-ID", "Last-Modified", "Link", "Location", "Max-Forwards",
        "Origin", "Overwrite", "Permissions-Policy", "Pragma", "Prefer", "Preference-Applied", "Priority",
        "Proxy-Authenticate", "Proxy-Status", "Range", "Referer", "Referrer-Policy", "Refresh", "Repr-Digest",
        "Retry-After", "Sec-WebSocket-Extensions", "Sec-WebSocket-Key", "Sec-WebSocket-Protocol",
        "Sec-WebSocket-Version", "Server", "Server-Timing", "Strict-Transport-Security", "Sunset", "TE",
        "Timing-Allow-Origin", "Trailer", "Transfer-Encoding", "traceparent", "Tus-Checksum-Algorithm",
        "Tus-Extension", "Tus-Max-Size", "Tus-Resumable", "Tus-Version", "Upgrade", "Upload-Checksum",
        "Upload-Complete", "Upload-Defer-Length", "Upload-Draft-Interop-Version", "Upload-Expires",
        "Upload-Incomplete", "Upload-Length", "Upload-Limit", "Upload-Offset", "User-Agent", "Vary", "Via",
        "Want-Content-Digest", "Want-Repr-Digest", "WWW-Authenticate", "X-Content-Type-Options", "X-Frame-Options",
    ]

    private static let namesOfURLs: Set<Field.Name> = [
        .location, .referer, "Content-Location", "Destination", "Link", "Refresh",
    ]
}
