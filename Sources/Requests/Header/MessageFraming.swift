/// How the end of a message's body is known (RFC 9112 §6).
extension Header {
    package enum TransferCoding {
        case none, chunked
        case other(String)
    }

    package var transferCoding: TransferCoding {
        guard let list = self[.transferEncoding] else { return .none }
        if list == "chunked" { return .chunked }
        return switch ASCII.lowercased(list).tokens {
        case ["chunked"]: .chunked
        // From RFC 2616. It means no encoding.
        case ["identity"]: .none
        default: .other(list)
        }
    }

    /// Whether the body is chunked.
    package var isChunked: Bool { if case .chunked = transferCoding { true } else { false } }

    /// The number in `Content-Length`, or its fault. Several equal values are valid (RFC 9110 §8.6).
    package var length: (bytes: Int64?, fault: String?) {
        guard let text = self[.contentLength] else { return (nil, nil) }
        if let bytes = text.digits ?? single(.contentLength)?.digits { return (bytes, nil) }
        let isList = single(.contentLength)?.utf8.contains(UInt8(ascii: ",")) ?? true
        return isList
            ? (nil, "the response has different lengths: \(Redaction.quoted(text))")
            : (nil, "the response's length \(Redaction.quoted(text)) isn't a number of bytes")
    }

    /// The length of the body. `nil` if the body is chunked or has no length. Transports reject malformed lengths.
    package var bodyLength: Int64? { isChunked ? nil : length.bytes }
}
