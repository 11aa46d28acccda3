extension Field.Name {
    /// Whether fields of this name carry no credentials, so that descriptions show their values.
    var isHarmless: Bool { Field.Name.harmless.contains(self) }

    /// Whether values of this name contain URLs, which may contain credentials.
    var holdsURLs: Bool { Field.Name.namesOfURLs.contains(self) }

    /// Registered names whose values are no credentials.
    ///
    /// Specification: IANA, Hypertext Transfer Protocol (HTTP) Field Name Registry.
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
        "Timing-Allow-Origin", "Trailer", "Transfer-Encoding", "traceparent", "Upgrade", "User-Agent", "Vary", "Via",
        "Want-Content-Digest", "Want-Repr-Digest", "WWW-Authenticate", "X-Content-Type-Options", "X-Frame-Options",
    ]

    private static let namesOfURLs: Set<Field.Name> = [
        .location, .referer, "Content-Location", "Destination", "Link", "Refresh",
    ]
}
