extension Header {
    /// Whether every field is known to be valid with any body.
    var isKnownToBeValid: Bool { indices.allSatisfy { self[$0].isKnownToBeValid } }

    /// Throws if a field can't be sent, or if a recipient could read it as more than one field.
    ///
    /// Specification: RFC 9110 §5.1 (names are tokens), §5.5 (no control characters in values), §8.3.1 (media types).
    package func validate() throws(RequestError) {
        for field in self where !field.isKnownToBeValid {
            guard field.name.isToken else { throw .invalidFieldName(field.name.rawValue) }
            if let defect = field.defect { throw .defect(defect, of: field) }
            guard ASCII.isFieldValue(field.value) else { throw .invalidFieldValue(of: field.name) }
        }
    }
}

extension Header {
    /// The fields that a recipient needs before the body: framing, routing, credentials and what the content is.
    private static let neverTrailers: Set<Field.Name> = [
        .contentLength, .transferEncoding, .host, "Connection", "TE", "Trailer", .contentEncoding, .contentType,
        "Content-Range", .authorization, .proxyAuthorization, .cookie, .cacheControl, "Expect", .range,
    ]

    /// Throws if the fields can't be sent after a body (RFC 9110 §6.5.1).
    package func validateAsTrailers() throws(RequestError) {
        try validate()
        for field in self where Header.neverTrailers.contains(field.name) {
            throw RequestError(
                code: .invalidFieldName,
                subject: field.name.rawValue,
                message: "\(field.name) can't be a trailer, because it is needed before the body. Put it in the header."
            )
        }
    }
}

extension RequestError {
    fileprivate static func invalidFieldName(_ name: String) -> RequestError {
        RequestError(
            code: .invalidFieldName,
            subject: name,
            message: "The header name \(Redaction.quoted(name)) isn't a token. Use letters, digits and !#$%&'*+-.^_`|~."
        )
    }

    fileprivate static func invalidFieldValue(of name: Field.Name) -> RequestError {
        RequestError(
            code: .invalidFieldValue,
            subject: name.rawValue,
            message: "The value of \(name) contains a line break or another control character. Remove or encode it."
        )
    }

    fileprivate static func defect(_ defect: Field.Defect, of field: Field) -> RequestError {
        let rule: String
        switch defect {
        case .mediaType: return invalidMediaType(field.value, in: field.name)
        case .cookie: rule = "a cookie whose name isn't a token, or whose value contains a semicolon. Encode it"
        case .entityTag: rule = "an entity tag with a quote, a space or a control character. Remove it"
        case .weakEntityTag: rule = "a weak entity tag, which can't select a part of a body. Use a strong one"
        case .missingEntityTag where field.value.isEmpty:
            rule = "no entity tag, because the response has none. Check head.entityTag first"
        case .missingEntityTag:
            rule = "the response's ETag \(Redaction.quoted(field.value)), which isn't one tag in quotes. Set its text"
        case .range: rule = "a negative position. Use positions from 0"
        }
        return RequestError(
            code: .invalidFieldValue,
            subject: field.name.rawValue,
            message: "\(field.name) contains \(rule)."
        )
    }

    fileprivate static func invalidMediaType(_ text: String, in name: Field.Name) -> RequestError {
        RequestError(
            code: .invalidMediaType,
            subject: text,
            message: "\(name) contains an invalid media type: \(Redaction.quoted(text)). Write it as type/subtype."
        )
    }
}
