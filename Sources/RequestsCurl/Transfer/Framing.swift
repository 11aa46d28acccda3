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
        let length = header.length
        hasLength = length.bytes != nil || length.fault != nil
        hasTransferCoding = header.contains(.transferEncoding)
        if !hasTransferCoding, let number = length.bytes {
            (isChunked, bodyLength, fault) = (false, number, nil)
        } else {
            isChunked = hasTransferCoding && header.isChunked
            bodyLength = isChunked ? nil : length.bytes
            fault = hasLength || hasTransferCoding ? header.lengthFault : nil
        }
    }

    /// Whether an intermediary could frame the message differently (response splitting).
    func isDoubtful(for head: ResponseHead, in version: HTTPVersion?) -> Bool {
        // Transfer-Encoding must not occur with Content-Length or in HTTP/1.0 (RFC 9112 §6.1).
        if hasTransferCoding, hasLength || version == .http1_0 { return true }
        // A server that announces a body with a 204 may send it, although it must not (RFC 9110 §8.6).
        if head.statusCode == 204 { return hasTransferCoding || hasLength && bodyLength != 0 }
        // If the header says both, libcurl prefers `keep-alive` to `close`, against RFC 9112 §9.3.
        return version == .http1_0 && head.header.closesConnection
    }
}
