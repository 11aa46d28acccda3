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
    /// let user = ResponseDecoder.json(User.self).optional                 // nil for 304
    /// let again = api.get(user, from: "/user").setting(headerField: .ifNoneMatch(head))
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
