import RequestsSystem
import RequestsTesting

extension LoopbackServer {
    /// Starts an HTTP/2 server without TLS, for clients with prior knowledge (RFC 9113 §3.3).
    ///
    /// - Parameters:
    ///   - records: Whether received requests are stored in `requests`. Default: `false`.
    ///   - handler: Returns the response to a request. Called on the stream's own thread. If it throws, the stream is
    ///     reset.
    public static func http2(
        recording records: Bool = false,
        _ handler: @escaping @Sendable (Request) throws -> Answer
    ) throws -> LoopbackServer {
        let log = Log(recording: records)
        return try LoopbackServer(log) { connection in
            let session = HTTP2.Session(connection) { request in
                log.add(request)
                return try handler(request)
            }
            try session.run()
        }
    }
}

extension LoopbackServer.Connection {
    /// Reads the client's preface, and sends the first frame (RFC 9113 §3.4).
    ///
    /// - Parameter settings: The first frame to send. Default: SETTINGS without values.
    /// - Throws: `POSIXError` with `EPROTO` if the client doesn't start with the HTTP/2 preface.
    package func acceptHTTP2(_ settings: HTTP2.Frame = .settings()) throws {
        guard try readBytes(HTTP2.preface.count) == HTTP2.preface else { throw POSIXError(.EPROTO) }
        try write(settings)
    }

    /// Waits for a frame and returns it.
    ///
    /// - Returns: The frame, or `nil` if the client has closed the connection.
    package func readFrame() throws -> HTTP2.Frame? {
        let start = try read()
        guard !start.isEmpty else { return nil }
        putBack(start)
        let head = try readBytes(9)
        let number = head[5...].reduce(0) { $0 << 8 | UInt32($1) }
        return HTTP2.Frame(
            HTTP2.Frame.Kind(rawValue: head[3]) ?? .unknown,
            flags: HTTP2.Frame.Flags(rawValue: head[4]),
            stream: number & 0x7FFF_FFFF,
            try readBytes(head[..<3].reduce(0) { $0 << 8 | Int($1) })
        )
    }

    /// Writes frames.
    ///
    /// - Throws: `POSIXError` if the client has closed the connection.
    package func write(_ frames: HTTP2.Frame...) throws {
        try write(frames)
    }

    /// Writes frames.
    ///
    /// - Throws: `POSIXError` if the client has closed the connection.
    package func write(_ frames: [HTTP2.Frame]) throws {
        try write(frames.reduce(into: [UInt8]()) { $0 += $1.bytes })
    }

    /// Reads frames until the client closes the connection, and acknowledges SETTINGS and PING frames.
    ///
    /// - Parameter respond: Called with the number of each stream when a HEADERS frame arrives on it, possibly before
    ///   the request's body.
    package func readStreams(_ respond: (UInt32) throws -> Void) throws {
        while let frame = try readFrame() {
            try acknowledge(frame)
            if frame.kind == .headers { try respond(frame.stream) }
        }
    }

    /// Acknowledges a SETTINGS or PING frame, and ignores all others.
    package func acknowledge(_ frame: HTTP2.Frame) throws {
        guard !frame.flags.contains(.acknowledgment) else { return }
        switch frame.kind {
        case .settings: try write(.settingsAcknowledgment)
        case .ping: try write(.ping(frame.payload, isAcknowledgment: true))
        default: break
        }
    }
}
