/// The status, header, URL and version of a response.
public struct ResponseHead: Hashable, Sendable {
    @usableFromInline struct Parts: Hashable, Sendable {
        @usableFromInline let statusCode: Int
        @usableFromInline var header: Header
        @usableFromInline var url: RequestURL
        @usableFromInline var httpVersion: HTTPVersion?
        var cacheStatus: CacheStatus?
    }

    @usableFromInline var parts: CopyOnWrite<Parts>

    /// The status code, from 100 to 999.
    @inlinable public var statusCode: Int { parts.value.statusCode }

    /// The header. In order of arrival if the transport supports it.
    @inlinable public var header: Header {
        _read { yield parts.value.header }
        _modify { yield &parts.value.header }
    }

    /// The URL of the request that got the response. Differs from the original one after a redirect.
    @inlinable public var url: RequestURL {
        _read { yield parts.value.url }
        _modify { yield &parts.value.url }
    }

    /// The version of HTTP. `nil` if the transport doesn't report it.
    @inlinable public var httpVersion: HTTPVersion? {
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

extension ResponseHead {
    /// The status code of a response and its class.
    ///
    /// Specification: RFC 9110 §15.
    public struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code.
        public let rawValue: Int

        /// Creates a status.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The code.
        public var description: String { String(rawValue) }

        /// Whether the status is 100 to 199. The final response follows.
        public var isInformational: Bool { rawValue / 100 == 1 }

        /// Whether the status is 200 to 299.
        public var isSuccess: Bool { rawValue / 100 == 2 }

        /// Whether the status is 300 to 399.
        public var isRedirection: Bool { rawValue / 100 == 3 }

        /// Whether the status is 400 to 499.
        public var isClientError: Bool { rawValue / 100 == 4 }

        /// Whether the status is 500 to 599.
        public var isServerError: Bool { rawValue / 100 == 5 }
    }

    /// The status.
    public var status: Status { Status(rawValue: statusCode) }
}

extension ResponseHead {
    /// The identifier of the response's version, from `ETag`. `nil` if there is none, or it is malformed. Equal repeats
    /// are one, different ones are none.
    ///
    /// Specification: RFC 9110 §8.8.3.
    public var entityTag: Field.EntityTag? { header.single(.eTag).flatMap { Field.EntityTag($0) } }

    /// The media type of the body, from `Content-Type`. `nil` if there is none, or it isn't a media type. Malformed
    /// parameters are skipped, and equal repeats are one; see ``MediaType/init(_:)``.
    ///
    /// Specification: RFC 9110 §8.3.
    public var mediaType: MediaType? { header[.contentType].flatMap { MediaType($0) } }

    /// The size of the body as it is sent, in bytes, from `Content-Length`. `nil` if there is none, or it is malformed.
    /// Equal repeats are one, different ones are none.
    ///
    /// A transport that decodes a body returns more bytes. Specification: RFC 9110 §8.6.
    public var contentLength: Int64? { header.length.bytes }
}

extension Field {
    /// `If-None-Match` with the entity tag of an earlier response: the server returns 304 if it hasn't changed.
    ///
    /// ```swift
    /// // nil for 304
    /// let user = ResponseDecoder.json(User.self).optional
    /// let again = api.get(user, from: "/user")
    ///     .setting(headerField: .ifNoneMatch(head))
    /// ```
    ///
    /// Building the request throws if the response has no ``ResponseHead/entityTag``, and says why.
    ///
    /// Specification: RFC 9110 §13.1.2.
    public static func ifNoneMatch(_ head: ResponseHead) -> Field {
        if let tag = head.entityTag { return .ifNoneMatch(tag) }
        return Field(name: .ifNoneMatch, value: head.header[.eTag] ?? "", defect: .missingEntityTag)
    }
}

extension ResponseHead {
    /// The length of the body by its framing (RFC 9112 §6.3). `nil` if it is known only at the end.
    package func expectedBytes(to method: HTTPMethod) -> Int64? {
        isWithoutBody(to: method) ? 0 : header.bodyLength
    }

    /// Whether the response to a method never has a body, whatever its header says.
    package func isWithoutBody(to method: HTTPMethod) -> Bool {
        method == .head || statusCode == 204 || statusCode == 304
    }
}
