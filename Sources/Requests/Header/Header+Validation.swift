extension Header {
    /// Whether nothing is left to check, whatever the body.
    var isKnownToBeValid: Bool { indices.allSatisfy { self[$0].isKnownToBeValid } }

    /// Throws when a field could not be sent as it is, or would be read as more than one.
    ///
    /// Specification: RFC 9110 §5.1 (names are tokens), §5.5 (no CR, LF or NUL in values).
    package func validate() throws(RequestError) {
        for field in self where !field.isKnownToBeValid {
            guard ASCII.isToken(field.name.rawValue) else { throw .invalidFieldName(field.name.rawValue) }
            guard ASCII.isFieldValue(field.value) else { throw .invalidFieldValue(of: field.name) }
        }
    }
}
