import RequestsTesting

/// Functions that create the frames that servers send.
extension HTTP2.Frame {
    /// A DATA frame, which ends the stream by default.
    package static func data(_ bytes: some Sequence<UInt8>, on stream: UInt32, endStream: Bool = true) -> Self {
        Self(.data, flags: endStream ? .endStream : [], stream: stream, Array(bytes))
    }

    /// A DATA frame with text in UTF-8, which ends the stream by default.
    package static func data(_ text: String, on stream: UInt32, endStream: Bool = true) -> Self {
        data(text.utf8, on: stream, endStream: endStream)
    }

    /// A HEADERS frame with all the fields of a head or of trailers. Pass `false` for `endHeaders` if a CONTINUATION
    /// frame follows.
    package static func headers(
        _ fields: KeyValuePairs<String, String>,
        on stream: UInt32,
        endStream: Bool = false,
        endHeaders: Bool = true
    ) -> Self {
        headers(block: HPACK.block(fields), on: stream, endStream: endStream, endHeaders: endHeaders)
    }

    /// A HEADERS frame with an encoded field block, or a part of one.
    package static func headers(
        block: [UInt8],
        on stream: UInt32,
        endStream: Bool = false,
        endHeaders: Bool = true
    ) -> Self {
        let flags: Flags = [endStream ? .endStream : [], endHeaders ? .endHeaders : []]
        return Self(.headers, flags: flags, stream: stream, block)
    }

    /// A CONTINUATION frame with a part of a field block.
    package static func continuation(block: [UInt8], on stream: UInt32, endHeaders: Bool = true) -> Self {
        Self(.continuation, flags: endHeaders ? .endHeaders : [], stream: stream, block)
    }

    /// A RST_STREAM frame, which ends a stream with an error code.
    package static func resetStream(_ stream: UInt32, _ code: HTTP2.ErrorCode) -> Self {
        Self(.resetStream, stream: stream, bytes(code.rawValue))
    }

    /// A SETTINGS frame. Default: no values.
    package static func settings(_ settings: KeyValuePairs<HTTP2.Setting, UInt32> = [:]) -> Self {
        Self(.settings, settings.flatMap { bytes(UInt32($0.rawValue)).dropFirst(2) + bytes($1) })
    }

    /// An acknowledgment of the client's SETTINGS.
    package static let settingsAcknowledgment = Self(.settings, flags: .acknowledgment)

    /// A PUSH_PROMISE frame, which promises a stream with the response to a request that the client didn't send.
    package static func pushPromise(
        _ fields: KeyValuePairs<String, String>,
        promising promised: UInt32,
        on stream: UInt32
    ) -> Self {
        Self(.pushPromise, flags: .endHeaders, stream: stream, bytes(promised) + HPACK.block(fields))
    }

    /// A PING frame, or the acknowledgment of one. Default: a PING with the bytes 1 to 8.
    package static func ping(_ payload: [UInt8] = Array(1...8), isAcknowledgment: Bool = false) -> Self {
        Self(.ping, flags: isAcknowledgment ? .acknowledgment : [], payload)
    }

    /// A GOAWAY frame, which says that streams after `stream` weren't processed.
    package static func goAway(after stream: UInt32, _ code: HTTP2.ErrorCode = .noError) -> Self {
        Self(.goAway, bytes(stream) + bytes(code.rawValue))
    }

    /// A WINDOW_UPDATE frame, which enlarges the window of a stream, or of the connection for stream 0.
    package static func windowUpdate(_ stream: UInt32, _ count: UInt32) -> Self {
        Self(.windowUpdate, stream: stream, bytes(count))
    }

    /// A PRIORITY frame. Its content is deprecated (RFC 9113 §5.3.2).
    package static func priority(_ stream: UInt32, dependingOn other: UInt32 = 0) -> Self {
        Self(.priority, stream: stream, bytes(other) + [16])
    }

    /// Returns the frame with padding (RFC 9113 §6.1).
    package func padded(by count: UInt8) -> Self {
        var frame = self
        frame.flags.insert(.padded)
        frame.payload = [count] + payload + Array(repeating: 0, count: Int(count))
        return frame
    }

    /// Returns the frame on another stream.
    package func on(_ stream: UInt32) -> Self {
        var frame = self
        frame.stream = stream
        return frame
    }
}
