import Requests

/// The meaning of libcurl's error messages, for errors that share an error code.
///
/// No other code in the package matches libcurl's texts. An unknown text adds nothing to the error code, and only the
/// one of ``reportsRefusal(_:)`` makes a request safe to repeat. Foundation on Linux reports libcurl's message without
/// its code, so `URLSessionTransport` needs the texts, too. The comments name the versions that contain a text, among
/// the tested ones (7.88.1 to 8.23.0).
package struct LibcurlMessage: Sendable {
    /// The kind of error.
    package let code: TransportError.Code

    /// A replacement for a message that quotes the response or isn't specific. `nil` keeps libcurl's message.
    package let reason: String?

    private let text: String

    private init(_ text: String, _ code: TransportError.Code, _ reason: String? = nil) {
        self.text = text
        self.code = code
        self.reason = reason
    }

    /// Returns the meaning of a message whose error code is ambiguous.
    package static func meaning(of message: String) -> LibcurlMessage? {
        all.first { message.contains($0.text) }
    }

    /// Returns the meaning of a message for which libcurl's error code isn't known.
    package static func meaningWithoutCode(of message: String) -> LibcurlMessage? {
        meaning(of: message) ?? withoutCode.first { message.contains($0.text) }
    }

    /// Returns whether the HTTP/2 library dropped a malformed field (RFC 9113 §8.2.1) and continued, as nghttp2 1.67
    /// and later does.
    package static func reportsDroppedField(_ message: String) -> Bool {
        message.hasPrefix("Ignoring received invalid HTTP header field")
    }

    /// Returns whether the server rejected the client certificate (RFC 8446 §6.2), in all versions with OpenSSL. The
    /// server decides after the client's part of the handshake, so libcurl only reports a broken connection.
    package static func isRejectedHandshake(_ message: String) -> Bool {
        message.contains("alert") && message.contains("SSL routines")
    }

    /// Returns advice about a failed connection, for common mistakes. `nil` if there is none.
    ///
    /// - Parameter isSecure: Whether the request's URL is `https`.
    package static func advice(about message: String, isSecure: Bool) -> String? {
        (isSecure ? adviceForTLS : adviceForPlainText).first { message.contains($0.text) }?.advice
    }

    /// The start of the log line about bytes after a response without a body, before 8.7. Later versions close the
    /// connection instead.
    package static let surplus: StaticString = "Excess found"

    /// Returns whether a log line says that the server didn't process a request (RFC 9113 §8.7), in 8.19 and later:
    /// `HTTP/2 stream 7 refused by server, …`, and the same for HTTP/3. No line starts with text of the server.
    package static func reportsRefusal(_ line: UnsafeRawBufferPointer) -> Bool {
        guard unsafe line.starts(with: "HTTP/2 stream ".utf8) || line.starts(with: "HTTP/3 stream ".utf8)
        else { return false }
        let rest = unsafe String(decoding: line, as: UTF8.self).dropFirst("HTTP/2 stream ".count)
        return rest.drop(while: \.isNumber).hasPrefix(" refused by server")
    }

    /// Returns whether a log line says that a request has a stream, in 8.14 and later:
    /// `[HTTP/3] [4] OPENED stream for https://…`.
    package static func reportsOpenedStream(_ line: UnsafeRawBufferPointer) -> Bool {
        guard unsafe line.starts(with: "[HTTP/".utf8) else { return false }
        return unsafe String(decoding: line.prefix(64), as: UTF8.self).contains("] OPENED stream for ")
    }

    /// Returns whether libcurl closed a QUIC connection because of what it received (RFC 9000 §10.2.1), in 8.23.
    package static func reportsBrokenRules(_ message: String) -> Bool { message.hasSuffix("ERR_CLOSING") }

    /// Returns whether the server closed a QUIC connection (RFC 9000 §10.2.2), in 8.23.
    package static func reportsQUICEnd(_ message: String) -> Bool { message.hasSuffix("ERR_DRAINING") }

    package static let malformedHTTP2 = "the response isn't valid HTTP/2"

    private static let adviceForTLS = [
        // A server that doesn't speak TLS, with OpenSSL and GnuTLS.
        (text: "wrong version number", advice: useHTTP), ("packet length too long", useHTTP),
        ("unexpected TLS packet", useHTTP),
        ("self-signed", addAuthority), ("self signed", addAuthority), ("unable to get local issuer", addAuthority),
    ]

    private static let adviceForPlainText = [
        // A server that expects TLS responds with an alert, or not at all.
        (text: "HTTP/0.9", advice: useHTTPS), (text: "Connection reset by peer", advice: useHTTPS),
    ]

    private static let useHTTPS = "if this port expects TLS, use https://"
    private static let useHTTP = "if this port speaks plain HTTP, use http://"
    private static let addAuthority = "to trust the server, add its certificate authority to tls.authorities"

    private static let all: [LibcurlMessage] = [
        // Messages about HTTP/2. They are replaced, because they can quote fields of the response.
        .init("Invalid HTTP header field was received", .malformed, malformedHTTP2),  // all
        .init("PROTOCOL_ERROR", .malformed, malformedHTTP2),  // all
        .init("received invalid frame", .malformed, malformedHTTP2),  // 8.14 and later
        .init("Flooding was detected", .malformed),  // all
        .init("Too many CONTINUATION frames", .tooLarge, Header.tooLarge),  // all
        .init("The user callback function failed", .malformed, malformedHTTP2),  // all
        // Messages about HTTP/1.
        .init("Too large response headers", .tooLarge, Header.tooLarge),  // all
        .init("Too many response headers", .tooLarge, Header.tooLarge),  // 8.14 and later
        .init(
            "Out of memory in chunked-encoding",
            .tooLarge,
            "a line of the response's trailers exceeds libcurl's limit"
        ),  // all
        .init("in chunked-encoding", .malformed),  // all
        .init("chunk hex-length", .malformed),  // 8.12 and later
        .init("Malformed encoding found", .malformed),  // all
    ]

    private static let withoutCode: [LibcurlMessage] = [
        .init("Invalid Content-Length", .malformed),  // all
        .init("Unsolicited Transfer-Encoding", .malformed),  // 8.14 and later
        .init("was listed after chunked", .malformed),  // 8.14 and later
        .init("Failed reading the chunked-encoded stream", .malformed),  // all
        .init("Header without colon", .malformed),  // all
        .init("Invalid response header", .malformed),  // 8.14 and later
        .init("Nul byte in header", .malformed),  // before 8.23
        .init("NUL byte in header", .malformed),  // 8.23
        .init("was given a bad argument", .malformed),  // all, about a head that starts with a folded line
        .init("content encodings", .decoding),  // before 8.21
        .init("content unencoding", .decoding),  // all
        .init("Failed writing received data", .decoding),  // all, about bytes after the encoded data
        .init("Unrecognized content encoding", .decoding),  // all
        .init("SSL certificate problem", .tlsUntrusted),  // all
        .init("SSL certificate OpenSSL verify result", .tlsUntrusted),  // 8.19 and later
        .init("SSL: no alternative certificate subject name", .tlsUntrusted),  // all
        .init("SSL routines", .tlsFailed),  // all
        .init("OpenSSL SSL_connect", .tlsFailed),  // all
        .init("TLS connect error", .tlsFailed),  // 8.12 and later
        // Foundation's own parser rejected the head and stopped libcurl.
        .init("Failed writing header", .malformed),  // 7.88
        .init("Failure writing output", .malformed),  // all
        // A line of the head exceeds libcurl's limit.
        .init("Out of memory", .tooLarge),  // all
        .init("A value or data field grew larger than allowed", .tooLarge),  // 8.12 and later
    ]
}
