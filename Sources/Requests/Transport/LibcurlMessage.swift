/// What libcurl's error messages mean, for faults that share an error code.
///
/// Nothing else matches their text. An unknown message means no more than its error code, and never that a request is
/// safe to repeat. Foundation on Linux passes on libcurl's message without its code, so its transport reads them here
/// too. Beside each message: the versions of libcurl that write it, of 7.81 to 8.23.
package struct LibcurlMessage: Sendable {
    /// The kind of fault.
    package let code: TransportError.Code

    /// Replaces a message that quotes the response, or that says too little; `nil` to keep libcurl's message.
    package let reason: String?

    private let text: String

    private init(_ text: String, _ code: TransportError.Code, _ reason: String? = nil) {
        self.text = text
        self.code = code
        self.reason = reason
    }

    /// Returns what a message of libcurl means if its error code doesn't tell.
    package static func meaning(of message: String) -> LibcurlMessage? {
        all.first { message.contains($0.text) }
    }

    /// Returns what a message means that came without libcurl's error code.
    package static func meaningWithoutCode(of message: String) -> LibcurlMessage? {
        meaning(of: message) ?? withoutCode.first { message.contains($0.text) }
    }

    /// Whether a message says that the HTTP/2 library dropped a malformed field (RFC 9113 §8.2.1) and went on, as it
    /// does from nghttp2 1.65 (libcurl 8.16 and later).
    package static func reportsDroppedField(_ message: String) -> Bool {
        message.hasPrefix("Ignoring received invalid HTTP header field")
    }

    /// The message about a certificate that the server rejected (RFC 8446 §6.2): every version with OpenSSL. The server
    /// judges it after the client's part of the handshake, so the error code is that of a broken connection.
    package static func isRejectedHandshake(_ message: String) -> Bool {
        message.contains("alert") && message.contains("SSL routines")
    }

    /// The start of the log line about bytes after a response without a body, before 8.7. Later versions close the
    /// connection themselves.
    package static let surplus: StaticString = "Excess found"

    package static let malformedHTTP2 = "the response breaks the rules of HTTP/2"

    private static let all: [LibcurlMessage] = [
        // HTTP/2. The HTTP/2 library's messages quote fields of the response.
        .init("Invalid HTTP header field was received", .malformed, malformedHTTP2),  // 8.12 to 8.23
        .init("PROTOCOL_ERROR", .malformed, malformedHTTP2),  // 7.81 to 8.23
        .init("received invalid frame", .malformed, malformedHTTP2),  // 8.17 to 8.23
        .init("Flooding was detected", .malformed),  // 7.81 to 8.23
        .init("Too many CONTINUATION frames", .tooLarge, Header.tooLarge),  // 7.81 to 8.23
        .init("The user callback function failed", .tooLarge, Header.tooLarge),  // 7.81 to 8.23
        // HTTP/1.
        .init("Too large response headers", .tooLarge, Header.tooLarge),  // 7.81 to 8.23
        .init("Too many response headers", .tooLarge, Header.tooLarge),  // 8.13 to 8.23
        .init(
            "Out of memory in chunked-encoding",
            .tooLarge,
            "a line of the response's trailers is longer than libcurl allows"
        ),  // 7.81 to 8.23
        .init("in chunked-encoding", .malformed),  // 7.81 to 8.23
        .init("chunk hex-length", .malformed),  // 8.12 to 8.23
        .init("Malformed encoding found", .malformed),  // 7.81 to 8.23
    ]

    private static let withoutCode: [LibcurlMessage] = [
        .init("Invalid Content-Length", .malformed),  // 7.81 to 8.23
        .init("Unsolicited Transfer-Encoding", .malformed),  // 8.14 to 8.23
        .init("was listed after chunked", .malformed),  // 8.16 to 8.23
        .init("Failed reading the chunked-encoded stream", .malformed),  // 7.81 to 8.23
        .init("Header without colon", .malformed),  // 7.81 to 8.23
        .init("Invalid response header", .malformed),  // 8.14 to 8.23
        .init("Nul byte in header", .malformed),  // 7.81 to 8.22
        .init("NUL byte in header", .malformed),  // 8.23
        .init("was given a bad argument", .malformed),  // 7.81 to 8.1, about a head that starts with a folded line
        .init("content encodings", .decoding),  // 7.81 to 8.19
        .init("content unencoding", .decoding),  // 7.81 to 8.23
        .init("Failed writing received data", .decoding),  // 7.81 to 8.23, about bytes after the encoded data
        .init("Unrecognized content encoding", .decoding),  // 7.81 to 8.23
        .init("SSL certificate problem", .tlsUntrusted),  // 7.81 to 8.23
        .init("SSL certificate OpenSSL verify result", .tlsUntrusted),  // 8.21 to 8.23
        .init("SSL: no alternative certificate subject name", .tlsUntrusted),  // 7.81 to 8.23
        .init("SSL routines", .tlsFailed),  // 7.81 to 8.23
        .init("OpenSSL SSL_connect", .tlsFailed),  // 7.81 to 8.8
        .init("TLS connect error", .tlsFailed),  // 8.9 to 8.23
        // Foundation's own parsing of the head stopped libcurl.
        .init("Failed writing header", .malformed),  // 7.81 to 8.11
        .init("Failure writing output", .malformed),  // 8.12 to 8.23
        // A line of the head that is longer than libcurl allows.
        .init("Out of memory", .tooLarge),  // 7.81 to 8.5
        .init("A value or data field grew larger than allowed", .tooLarge),  // 8.6 to 8.23
    ]
}
