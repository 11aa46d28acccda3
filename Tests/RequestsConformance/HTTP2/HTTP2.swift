import RequestsTesting

/// The frames and field blocks of HTTP/2 (RFC 9113, RFC 7541), for writing servers in tests.
///
/// Values needn't be valid, so a test can send any frame with any content.
///
/// ```swift
/// let server = try LoopbackServer { connection in
///     try connection.acceptHTTP2()
///     try connection.readStreams { stream in
///         try connection.write(.headers([":status": "200"], on: stream), .resetStream(stream, .cancel))
///     }
/// }
/// ```
package enum HTTP2 {
    /// The bytes that a client sends first (RFC 9113 §3.4).
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// An error code (RFC 9113 §7).
    package struct ErrorCode: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        package let rawValue: UInt32

        /// Creates a code from its number.
        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// The sender ends the stream or connection without an error.
        package static let noError = ErrorCode(rawValue: 0)
        /// The peer broke a rule of HTTP/2.
        package static let protocolError = ErrorCode(rawValue: 1)
        /// The sender failed.
        package static let internalError = ErrorCode(rawValue: 2)
        /// The peer sent more than a flow-control window allowed.
        package static let flowControlError = ErrorCode(rawValue: 3)
        /// The peer didn't acknowledge SETTINGS in time.
        package static let settingsTimeout = ErrorCode(rawValue: 4)
        /// The peer sent a frame on a half-closed stream.
        package static let streamClosed = ErrorCode(rawValue: 5)
        /// The peer sent a frame of an invalid size.
        package static let frameSizeError = ErrorCode(rawValue: 6)
        /// The request wasn't processed.
        package static let refusedStream = ErrorCode(rawValue: 7)
        /// The sender no longer needs the stream.
        package static let cancel = ErrorCode(rawValue: 8)
        /// The sender can no longer decode the connection's field blocks.
        package static let compressionError = ErrorCode(rawValue: 9)
        /// The connection of a CONNECT request was closed.
        package static let connectError = ErrorCode(rawValue: 10)
        /// The peer causes too much load.
        package static let enhanceYourCalm = ErrorCode(rawValue: 11)
        /// The TLS connection doesn't meet the security requirements.
        package static let inadequateSecurity = ErrorCode(rawValue: 12)
        /// The request must be sent over HTTP/1.1.
        package static let http1_1Required = ErrorCode(rawValue: 13)
    }

    /// A setting (RFC 9113 §6.5.2).
    package struct Setting: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        package let rawValue: UInt16

        /// Creates a setting from its number.
        package init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// The maximum size of the peer's HPACK table in bytes.
        package static let headerTableSize = Setting(rawValue: 1)
        /// Whether the server may push responses.
        package static let enablePush = Setting(rawValue: 2)
        /// The maximum number of concurrent streams.
        package static let maxConcurrentStreams = Setting(rawValue: 3)
        /// The initial window size of a stream, in bytes.
        package static let initialWindowSize = Setting(rawValue: 4)
        /// The maximum size of a frame's payload in bytes.
        package static let maxFrameSize = Setting(rawValue: 5)
        /// The maximum size of a decoded header in bytes.
        package static let maxHeaderListSize = Setting(rawValue: 6)
    }
}
