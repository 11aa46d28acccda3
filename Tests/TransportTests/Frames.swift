import RequestsTesting

/// HTTP/2 frames (RFC 9113 §4.1).
enum Frames {
    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        let count = payload.count
        return [UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), type, flags, 0, 0, 0, stream]
            + payload
    }

    static let settings = frame(4)

    /// SETTINGS: the initial window size of a stream.
    static func initialWindow(_ size: UInt8) -> [UInt8] { frame(4, [0, 4, 0, 0, 0, size]) }

    /// WINDOW_UPDATE: enlarges the window of a stream, or of the connection for stream 0.
    static func windowUpdate(_ stream: UInt8, _ count: Int) -> [UInt8] {
        frame(8, stream: stream, [0, UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)])
    }

    static func data(_ text: String, on stream: UInt8, isLast: Bool = true) -> [UInt8] {
        frame(0, flags: isLast ? 1 : 0, stream: stream, Array(text.utf8))
    }

    /// A header or trailers, with fields shorter than 127 bytes (RFC 7541 §6.2.2).
    static func head(_ fields: KeyValuePairs<String, String>, on stream: UInt8, isLast: Bool = false) -> [UInt8] {
        var block: [UInt8] = []
        for (name, value) in fields {
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        return frame(1, flags: isLast ? 5 : 4, stream: stream, block)
    }

    static func reset(_ stream: UInt8, _ code: UInt8) -> [UInt8] { frame(3, stream: stream, [0, 0, 0, code]) }

    /// GOAWAY: streams after this one weren't processed.
    static func goAway(after stream: UInt8) -> [UInt8] { frame(7, [0, 0, 0, stream, 0, 0, 0, 0]) }

    /// SETTINGS: the maximum number of concurrent streams.
    static func maximumStreams(_ count: UInt8) -> [UInt8] { frame(4, [0, 3, 0, 0, 0, count]) }

    /// Reads a connection until its end, and calls a closure for each stream that a request opens.
    static func readStreams(
        of connection: LoopbackServer.Connection,
        settings: [UInt8] = Frames.settings,
        _ respond: (UInt8) throws -> Void
    ) throws {
        _ = try connection.readBytes(24)
        try connection.write(settings)
        while true {
            let start = try connection.readBytes(9)
            _ = try connection.readBytes(Int(start[1]) << 8 + Int(start[2]))
            if start[3] == 1 { try respond(start[8]) }
        }
    }
}
