extension Field {
    /// `Accept`: the media types that the client accepts (RFC 9110 §12.5.1).
    ///
    /// Media types without a ``MediaType/quality(_:)`` are equally preferred.
    public static func accept(_ types: MediaType...) -> Field {
        Field(name: .accept, mediaTypes: types)
    }

    /// `Accept-Language`: a language tag or a weighted list such as `da, en-GB;q=0.8` (RFC 9110 §12.5.4).
    public static func acceptLanguage(_ languages: String) -> Field {
        Field(name: .acceptLanguage, value: languages)
    }

    /// `Accept-Language`: language tags in order of preference, such as `da, en-GB;q=0.9, en;q=0.8` (RFC 9110 §12.5.4).
    public static func acceptLanguage(inOrder languages: [String]) -> Field {
        let weighted = languages.enumerated().map { index, language in
            index == 0 ? language : "\(language);q=0.\(max(10 - index, 1))"
        }
        return acceptLanguage(weighted.joined(separator: ", "))
    }

    /// `Accept-Encoding`: the content encodings that the caller can decode (RFC 9110 §12.5.3).
    ///
    /// A transport that decodes bodies sets the field itself. If a request sets it, the transport doesn't decode.
    public static func acceptEncoding(_ codings: String...) -> Field {
        Field(name: .acceptEncoding, value: codings.joined(separator: ", "))
    }

    /// `Authorization`: the credentials, including their scheme (RFC 9110 §11.6.2).
    public static func authorization(_ credentials: String) -> Field {
        Field(name: .authorization, value: credentials)
    }

    /// `Cache-Control`: directives for caches (RFC 9111 §5.2.1).
    public static func cacheControl(_ directives: CacheDirective...) -> Field {
        Field(name: .cacheControl, value: directives.map(\.rawValue).joined(separator: ", "))
    }

    /// `Cookie`: names and values, without any encoding (RFC 6265 §4.2).
    ///
    /// Building the request throws if a name isn't a token, or a value contains a semicolon or control character.
    public static func cookie(_ pairs: KeyValuePairs<String, String>) -> Field {
        let isValid = pairs.allSatisfy { ASCII.isToken($0.key) && !$0.value.utf8.contains(UInt8(ascii: ";")) }
        let value = pairs.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        return Field(name: .cookie, value: value, defect: isValid ? nil : .cookie)
    }

    /// `Content-Type`: the media type of the body (RFC 9110 §8.3). Body providers set it.
    public static func contentType(_ type: MediaType) -> Field {
        Field(name: .contentType, mediaTypes: CollectionOfOne(type))
    }

    /// `Idempotency-Key`: lets the server recognize a repeated request. A client then retries any method.
    public static func idempotencyKey(_ key: String) -> Field {
        Field(name: .idempotencyKey, value: key)
    }

    /// `Referer`: the URL of the referring resource, without user info and fragment (RFC 9110 §10.1.3).
    public static func referer(_ url: URL) -> Field {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.user = nil
        components?.password = nil
        components?.fragment = nil
        return Field(name: .referer, value: components?.string ?? "")
    }

    /// `User-Agent`: the software that sends the request (RFC 9110 §10.1.5).
    public static func userAgent(_ product: String) -> Field {
        Field(name: .userAgent, value: product)
    }

    /// The `User-Agent` that transports send by default: the name and version of this library.
    public static let defaultUserAgent = userAgent("swift-requests/0.1")
}

extension MediaType {
    /// Returns the media type with a preference for ``Field/accept(_:)`` (RFC 9110 §12.4.2).
    ///
    /// - Parameter quality: The preference, from 0 (not acceptable) to 1 (most preferred), rounded to three digits
    ///   after the decimal point.
    public func quality(_ quality: Double) -> MediaType {
        var copy = self
        let thousandths = Int64((min(max(quality.isNaN ? 1 : quality, 0), 1) * 1000).rounded())
        copy.parameters.removeAll { $0.name == "q" }
        copy.parameters.append(("q", "\(Double(thousandths) / 1000)"))
        return copy
    }
}

extension Field {
    /// `If-Match`: applies the request only if the current version has one of these tags (RFC 9110 §13.1.1).
    ///
    /// Without tags, the field is `*`: the resource must exist.
    public static func ifMatch(_ tags: EntityTag...) -> Field { field(.ifMatch, tags) }

    /// `If-None-Match`: applies the request only if the current version has none of these tags (RFC 9110 §13.1.2).
    ///
    /// Without tags, the field is `*`: the resource must not exist.
    public static func ifNoneMatch(_ tags: EntityTag...) -> Field { field(.ifNoneMatch, tags) }

    /// `If-Modified-Since`: applies the request only if the resource has changed after the date, which is rounded down
    /// to seconds (RFC 9110 §13.1.3).
    public static func ifModifiedSince(_ date: Date) -> Field {
        Field(name: .ifModifiedSince, value: HTTPDate.text(of: date))
    }

    /// `If-Unmodified-Since`: applies the request only if the resource hasn't changed after the date, which is rounded
    /// down to seconds (RFC 9110 §13.1.4).
    public static func ifUnmodifiedSince(_ date: Date) -> Field {
        Field(name: .ifUnmodifiedSince, value: HTTPDate.text(of: date))
    }

    /// `If-Range`: requests the range if the current version has this tag, and everything otherwise (RFC 9110 §13.1.5).
    ///
    /// Building the request throws if the tag is weak.
    public static func ifRange(_ tag: EntityTag) -> Field {
        tag.isWeak ? Field(name: .ifRange, value: tag.rawValue, defect: .weakEntityTag) : field(.ifRange, [tag])
    }

    /// `Range`: the bytes between two positions, which start at 0 (RFC 9110 §14.2).
    public static func range(bytes: ClosedRange<Int64>) -> Field {
        range("\(bytes.lowerBound)-\(bytes.upperBound)", from: bytes.lowerBound)
    }

    /// `Range`: the bytes from a position to the end. Positions start at 0 (RFC 9110 §14.2).
    public static func range(bytes: PartialRangeFrom<Int64>) -> Field {
        range("\(bytes.lowerBound)-", from: bytes.lowerBound)
    }

    /// `Range`: the last bytes (RFC 9110 §14.2).
    ///
    /// - Parameter count: The number of bytes.
    public static func range(lastBytes count: Int64) -> Field { range("-\(count)", from: count) }

    /// Building the request throws if a number is negative.
    private static func range(_ text: String, from number: Int64) -> Field {
        Field(name: .range, value: "bytes=\(text)", defect: number < 0 ? .range : nil)
    }

    /// Returns a field with tags. Building the request throws if one of them isn't valid.
    private static func field(_ name: Name, _ tags: [EntityTag]) -> Field {
        let value = tags.isEmpty ? "*" : tags.map(\.rawValue).joined(separator: ", ")
        return Field(name: name, value: value, defect: tags.allSatisfy(\.isValid) ? nil : .entityTag)
    }
}

extension Field {
    /// A server's identifier for one version of a resource.
    ///
    /// ```swift
    /// if let tag = response.head.entityTag {
    ///     request = request.setting(headerField: .ifNoneMatch(tag))
    /// }
    /// ```
    ///
    /// Specification: RFC 9110 §8.8.3.
    public struct EntityTag: Hashable, Sendable {
        /// The text between the quotes.
        public let value: String

        /// Whether two representations with this tag may differ in their bytes.
        public let isWeak: Bool

        /// Creates a tag. Building a request with it throws if the text contains a quote or a space.
        ///
        /// - Parameters:
        ///   - value: The text between the quotes.
        ///   - isWeak: Whether the tag is weak. Default: `false`.
        public init(value: String, isWeak: Bool = false) {
            self.value = value
            self.isWeak = isWeak
        }

        /// Parses a tag as it is sent, such as `"v1"` or `W/"v1"`. Returns `nil` if the text isn't a tag.
        public init?(_ text: String) {
            let isWeak = text.hasPrefix("W/")
            let quoted = text.utf8.dropFirst(isWeak ? 2 : 0)
            let quote = UInt8(ascii: "\"")
            guard quoted.count >= 2, quoted.first == quote, quoted.last == quote else { return nil }
            let value = quoted.dropFirst().dropLast()
            self.init(value: String(Substring(value)), isWeak: isWeak)
            guard isValid else { return nil }
        }

        /// Whether the text can be quoted. An entity tag has no escapes.
        var isValid: Bool { value.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F } }

        /// The tag as it is sent.
        public var rawValue: String { "\(isWeak ? "W/" : "")\"\(value)\"" }
    }
}

extension Field.EntityTag: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a tag as it is sent, such as `"v1"`, or a strong tag from the text between its quotes.
    public init(stringLiteral value: String) { self = Self(value) ?? Self(value: value) }

    /// The tag as it is sent.
    public var description: String { rawValue }
}

extension Field {
    /// A directive of `Cache-Control` in a request.
    ///
    /// Specification: RFC 9111 §5.2.1.
    public struct CacheDirective: RawRepresentable, Hashable, Sendable {
        /// The directive as it is sent.
        public let rawValue: String

        /// Creates a directive.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Caches must validate a stored response with the server before they use it.
        public static let noCache = CacheDirective(rawValue: "no-cache")
        /// Caches must not store any part of the request or the response.
        public static let noStore = CacheDirective(rawValue: "no-store")
        /// Intermediaries must not transform the content.
        public static let noTransform = CacheDirective(rawValue: "no-transform")
        /// Caches must respond with a stored response or with status 504.
        public static let onlyIfCached = CacheDirective(rawValue: "only-if-cached")

        /// Accepts a stored response up to this age, in seconds.
        public static func maxAge(_ seconds: Int64) -> CacheDirective { CacheDirective(rawValue: "max-age=\(seconds)") }
        /// Accepts a stored response that has been stale for up to this many seconds. Default: `nil`, for any time.
        public static func maxStale(_ seconds: Int64? = nil) -> CacheDirective {
            CacheDirective(rawValue: seconds.map { "max-stale=\($0)" } ?? "max-stale")
        }
        /// Accepts a stored response that stays fresh for at least this many seconds.
        public static func minFresh(_ seconds: Int64) -> CacheDirective {
            CacheDirective(rawValue: "min-fresh=\(seconds)")
        }
    }
}
