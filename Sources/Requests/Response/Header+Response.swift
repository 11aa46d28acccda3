/// The checks of response headers that all transports share.
extension Header {
    /// The limits of a response header, because it is in memory before the caller can reject it.
    package static let maximumSize = 300 << 10
    package static let maximumFields = 5000
    package static let tooLarge = "the response's head is larger than \(maximumSize) bytes or \(maximumFields) fields"

    /// Whether the header respects the limits.
    package var isWithinLimits: Bool {
        count <= Header.maximumFields
            && reduce(0) { $0 + $1.name.rawValue.utf8.count + $1.value.utf8.count } <= Header.maximumSize
    }

    /// Why the length of the body is ambiguous: an unsupported transfer coding, or lengths that differ or aren't
    /// numbers. `nil` if it isn't ambiguous.
    ///
    /// A chunked body ignores the length (RFC 9112 §6.3).
    package var lengthFault: String? {
        switch transferCoding {
        case .none: length.fault
        case .chunked: nil
        case .other(let list): "the response has unsupported transfer codings: \(Redaction.quoted(list))"
        }
    }

    /// Whether the connection is closed after the message (RFC 9112 §9.6).
    package var closesConnection: Bool { lists("close", in: "Connection") }

    /// Whether the request accepts trailers (RFC 9110 §10.1.4).
    package var asksForTrailers: Bool { lists("trailers", in: "TE") }

    private func lists(_ token: String, in name: Field.Name) -> Bool {
        self[name]?.tokens.contains { ASCII.equalsIgnoringCase(String($0), token) } == true
    }
}

extension Header {
    /// Throws if a transport's user agent isn't a valid field value.
    package static func check(userAgent: String?) throws(TransportError) {
        guard let userAgent, !ASCII.isFieldValue(userAgent) else { return }
        throw .unsupported("the transport's userAgent contains a line break or another control character; remove it")
    }
}
