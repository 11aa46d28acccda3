import RequestsTesting

/// The frames and field blocks of HTTP/2 (RFC 9113, RFC 7541), for writing servers in tests.
///
/// Values needn't be valid, so a test can send any frame with any content.
package enum HTTP2 {
    /// The bytes that a client sends first (RFC 9113 §3.4).
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// An error code (RFC 9113 §7), or a number that isn't one.
    package enum ErrorCode: UInt32, CaseIterable, Sendable {
        case noError, protocolError, internalError, flowControlError, settingsTimeout, streamClosed, frameSizeError
        case refusedStream, cancel, compressionError, connectError, enhanceYourCalm, inadequateSecurity, http11Required
        case unassigned
        case largest = 0xFFFF_FFFF
    }

    /// A parameter of the connection (RFC 9113 §6.5.2), or a number that isn't one.
    package enum Setting: UInt16, Sendable {
        case reserved, headerTableSize, enablePush, maxConcurrentStreams, initialWindowSize, maxFrameSize
        case maxHeaderListSize
        case unknown = 0xBABA
    }
}
