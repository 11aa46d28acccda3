extension Header {
    /// Whether every field is known to be valid with any body.
    var isKnownToBeValid: Bool { indices.allSatisfy { self[$0].isKnownToBeValid } }

    /// Throws if a field can't be sent, or if a recipient could read it as more than one field.
    ///
    /// Specification: RFC 9110 §5.1 (names are tokens), §5.5 (no CR, LF or NUL in values), §8.3.1 (media types).
    package func validate() throws(RequestError) {
        for field in self where !field.isKnownToBeValid {
            guard field.name.isToken else { throw .invalidFieldName(field.name.rawValue) }
            guard !field.hasInvalidMediaType else { throw .invalidMediaType(field.value, in: field.name) }
            guard ASCII.isFieldValue(field.value) else { throw .invalidFieldValue(of: field.name) }
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
            message: "The value of \(name) contains a line break or NUL. Remove or encode it."
        )
    }

    fileprivate static func invalidMediaType(_ text: String, in name: Field.Name) -> RequestError {
        RequestError(
            code: .invalidMediaType,
            subject: text,
            message: "\(name) contains an invalid media type: \(Redaction.quoted(text)). Use type/subtype; name=value."
        )
    }
}
