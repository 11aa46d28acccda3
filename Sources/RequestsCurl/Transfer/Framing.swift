import Requests
import RequestsClient

/// The length and the end of a response's body, according to its header (RFC 9112 §6).
struct Framing {
    /// The length of the body in bytes. `nil` if it is chunked or lasts until the connection closes.
    let bodyLength: Int64?
    let hasLength: Bool
    let hasTransferCoding: Bool
    let isChunked: Bool
    /// The reason why the length is invalid or ambiguous. `nil` if it isn't.
    let fault: String?

    init(_ header: Header) {
        let length = header[.contentLength]
        hasLength = length != nil
        hasTransferCoding = header.contains(.transferEncoding)
        if !hasTransferCoding, let length, let number = Framing.number(length) {
            (isChunked, bodyLength, fault) = (false, number, nil)
        } else {
            isChunked = hasTransferCoding && header.isChunked
            bodyLength = hasLength ? header.bodyLength : nil
            fault = hasLength || hasTransferCoding ? header.lengthFault : nil
        }
    }

    /// Parses a length of at most 18 digits without the cost of the general rules.
    private static func number(_ text: String) -> Int64? {
        guard (1...18).contains(text.utf8.count) else { return nil }
        var number: Int64 = 0
        for byte in text.utf8 {
            guard byte.isDigit else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return number
    }

    /// Whether an intermediary could frame the message differently (response splitting).
    func isDoubtful(for head: ResponseHead, in version: HTTPVersion?) -> Bool {
        // Transfer-Encoding must not occur with Content-Length or in HTTP/1.0 (RFC 9112 §6.1).
        if hasTransferCoding, hasLength || version == .http1_0 { return true }
        // A server that announces a body with a 204 may send it, although it must not (RFC 9110 §8.6).
        if head.statusCode == 204 { return hasTransferCoding || hasLength && head.header[.contentLength] != "0" }
        // If the header says both, libcurl prefers `keep-alive` to `close`, against RFC 9112 §9.3.
        return version == .http1_0 && head.header.closesConnection
    }
}
