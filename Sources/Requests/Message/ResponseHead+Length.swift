extension Header {
    package enum TransferCoding {
        case none, chunked
        case other(String)
    }

    package var transferCoding: TransferCoding {
        guard let list = self[.transferEncoding] else { return .none }
        if list == "chunked" { return .chunked }
        return switch ASCII.lowercased(list).split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
        case ["chunked"]: .chunked
        // From RFC 2616. It means no encoding.
        case ["identity"]: .none
        default: .other(list)
        }
    }

    /// Whether the body is chunked.
    package var isChunked: Bool { if case .chunked = transferCoding { true } else { false } }

    /// The length of the body. `nil` if the body is chunked or has no length.
    package var bodyLength: Int64? {
        guard let lengths = self[.contentLength], !isChunked else { return nil }
        // Repeated lengths are equal. Others were rejected.
        return Int64(lengths) ?? lengths.split(separator: ",").first.flatMap { Int64($0) }
    }
}

extension ResponseHead {
    /// The length of the body by its framing (RFC 9112 §6.3). `nil` if it is known only at the end.
    package func expectedBytes(to method: HTTPMethod) -> Int64? {
        isWithoutBody(to: method) ? 0 : header.bodyLength
    }

    /// Whether the response to a method never has a body, whatever its header says.
    package func isWithoutBody(to method: HTTPMethod) -> Bool {
        method == .head || statusCode == 204 || statusCode == 304
    }
}
