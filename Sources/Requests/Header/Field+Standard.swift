extension Field {
    /// `Accept`: the media types the client can use, in order of preference (RFC 9110 §12.5.1).
    public static func accept(_ types: MediaType...) -> Field {
        Field(name: .accept, value: types.map(\.rawValue).joined(separator: ", "))
    }

    /// `Accept-Language`: a language tag or a weighted list such as `da, en-GB;q=0.8` (RFC 9110 §12.5.4).
    public static func acceptLanguage(_ languages: String) -> Field {
        Field(name: .acceptLanguage, value: languages)
    }

    /// `Authorization`: complete credentials, scheme included (RFC 9110 §11.6.2).
    public static func authorization(_ credentials: String) -> Field {
        Field(name: .authorization, value: credentials)
    }

    /// `Content-Type`: the media type of the body (RFC 9110 §8.3). Body providers set it.
    public static func contentType(_ type: MediaType) -> Field {
        Field(name: .contentType, value: type.rawValue)
    }

    /// `User-Agent`: the software that makes the request (RFC 9110 §10.1.5).
    public static func userAgent(_ product: String) -> Field {
        Field(name: .userAgent, value: product)
    }
}
