/// The status, header, URL and version of a response.
public struct ResponseHead: Hashable, Sendable {
    private struct Parts: Hashable {
        let statusCode: Int
        var header: Header
        var url: RequestURL
        var httpVersion: HTTPVersion?
        var cacheStatus: CacheStatus?
    }

    private var parts: CopyOnWrite<Parts>

    /// The status code, from 100 to 999.
    public var statusCode: Int { parts.value.statusCode }

    /// The header. In order of arrival if the transport supports it.
    public var header: Header {
        _read { yield parts.value.header }
        _modify { yield &parts.value.header }
    }

    /// The URL of the request that got the response. Differs from the original one after a redirect.
    public var url: RequestURL {
        _read { yield parts.value.url }
        _modify { yield &parts.value.url }
    }

    /// The version of HTTP. `nil` if the transport doesn't report it.
    public var httpVersion: HTTPVersion? {
        get { parts.value.httpVersion }
        set { parts.value.httpVersion = newValue }
    }

    /// How a cache contributed to the response. `nil` without a cache.
    public var cacheStatus: CacheStatus? {
        get { parts.value.cacheStatus }
        set { parts.value.cacheStatus = newValue }
    }

    /// Creates a head.
    ///
    /// - Throws: ``RequestError/Code/invalidStatusCode`` if the status code isn't from 100 to 999.
    public init(
        statusCode: Int,
        header: Header = [],
        url: RequestURL,
        httpVersion: HTTPVersion? = nil
    ) throws(RequestError) {
        guard (100...999).contains(statusCode) else {
            throw RequestError(
                code: .invalidStatusCode,
                subject: String(statusCode),
                message: "\(statusCode) isn't a status code. Use a number from 100 to 999."
            )
        }
        parts = CopyOnWrite(Parts(statusCode: statusCode, header: header, url: url, httpVersion: httpVersion))
    }

    /// Creates a head.
    ///
    /// - Throws: ``RequestError`` if the URL isn't an HTTP URL, or the status code isn't from 100 to 999.
    public init(statusCode: Int, header: Header = [], url: URL, httpVersion: HTTPVersion? = nil) throws {
        let url = try RequestURL(url.absoluteString)
        try self.init(statusCode: statusCode, header: header, url: url, httpVersion: httpVersion)
    }
}

extension ResponseHead: CustomStringConvertible {
    /// The status code and the URL, with sensitive query values redacted.
    public var description: String { "\(statusCode) from \(url)" }
}
