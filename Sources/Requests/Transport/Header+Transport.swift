extension Header {
    /// Throws for a user agent of a transport that could not be sent.
    package static func check(userAgent: String?) throws(TransportError) {
        guard let userAgent, !ASCII.isFieldValue(userAgent) else { return }
        throw .unsupported("userAgent contains a line break or NUL")
    }
}
