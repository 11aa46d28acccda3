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
        let thousandths = Int((min(max(quality.isNaN ? 1 : quality, 0), 1) * 1000).rounded())
        copy.parameters.removeAll { $0.name == "q" }
        copy.parameters.append(("q", "\(Double(thousandths) / 1000)"))
        return copy
    }
}
