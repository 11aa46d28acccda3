import Foundation

extension Field {
    /// `Accept`: the media types the client can use (RFC 9110 §12.5.1).
    ///
    /// All are as welcome as the others, but for those with a ``MediaType/quality(_:)``.
    public static func accept(_ types: MediaType...) -> Field {
        Field(name: .accept, value: types.dropFirst().reduce(types.first?.rawValue ?? "") { "\($0), \($1.rawValue)" })
    }

    /// `Accept-Language`: a language tag or a weighted list such as `da, en-GB;q=0.8` (RFC 9110 §12.5.4).
    public static func acceptLanguage(_ languages: String) -> Field {
        Field(name: .acceptLanguage, value: languages)
    }

    /// `Accept-Language`: language tags, the most wanted first: `da, en-GB;q=0.9, en;q=0.8` (RFC 9110 §12.5.4).
    public static func acceptLanguage(inOrder languages: [String]) -> Field {
        let weighted = languages.enumerated().map { index, language in
            index == 0 ? language : "\(language);q=0.\(max(10 - index, 1))"
        }
        return acceptLanguage(weighted.joined(separator: ", "))
    }

    /// `Accept-Encoding`: the content codings the client can undo (RFC 9110 §12.5.3).
    ///
    /// A transport that decodes sets the field itself; one that finds it set leaves bodies as they come.
    public static func acceptEncoding(_ codings: String...) -> Field {
        Field(name: .acceptEncoding, value: codings.joined(separator: ", "))
    }

    /// `Authorization`: complete credentials, scheme included (RFC 9110 §11.6.2).
    public static func authorization(_ credentials: String) -> Field {
        Field(name: .authorization, value: credentials)
    }

    /// `Cache-Control`: what is asked of caches (RFC 9111 §5.2.1).
    public static func cacheControl(_ directives: CacheDirective...) -> Field {
        Field(name: .cacheControl, value: directives.map(\.rawValue).joined(separator: ", "))
    }

    /// `Cookie`: names and values, as they are (RFC 6265 §4.2).
    public static func cookie(_ pairs: KeyValuePairs<String, String>) -> Field {
        Field(name: .cookie, value: pairs.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))
    }

    /// `Content-Type`: the media type of the body (RFC 9110 §8.3). Body providers set it.
    public static func contentType(_ type: MediaType) -> Field {
        Field(name: .contentType, value: type.rawValue)
    }

    /// `Idempotency-Key`: makes a request that is sent again the same one to the server, and allows a client to do so.
    public static func idempotencyKey(_ key: String) -> Field {
        Field(name: .idempotencyKey, value: key)
    }

    /// `Referer`: where the URL comes from, without user info and fragment (RFC 9110 §10.1.3).
    public static func referer(_ url: URL) -> Field {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.user = nil
        components?.password = nil
        components?.fragment = nil
        return Field(name: .referer, value: components?.string ?? "")
    }

    /// `User-Agent`: the software that makes the request (RFC 9110 §10.1.5).
    public static func userAgent(_ product: String) -> Field {
        Field(name: .userAgent, value: product)
    }

    /// `User-Agent` as the transports send it where nobody sets another: the name of this library and its version.
    public static let defaultUserAgent = userAgent("swift-requests/0.1")
}

extension MediaType {
    /// Returns the media type with how welcome it is in ``Field/accept(_:)``: from 0, not at all, to 1.
    ///
    /// Three digits after the point are kept (RFC 9110 §12.4.2).
    public func quality(_ quality: Double) -> MediaType {
        var copy = self
        let thousandths = Int((min(max(quality.isNaN ? 1 : quality, 0), 1) * 1000).rounded())
        copy.parameters.removeAll { $0.name == "q" }
        copy.parameters.append(Parameter("q", "\(Double(thousandths) / 1000)"))
        return copy
    }
}
