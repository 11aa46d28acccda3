import Requests
import RequestsClient
import RequestsTesting

/// Cases about frames with invalid sizes and contents (RFC 9113 §4, §6).
extension TransportConformance.HostileExchange {
    static let malformedFrames: [Self] =
        sizes + ignored + [
            prefix("frame.tooLarge", "a frame above SETTINGS_MAX_FRAME_SIZE is an error (§4.2)", .connectionError) {
                [.headers([":status": "103"], on: $0), .data(Array(repeating: 120, count: 16 << 20 - 1), on: $0)]
            },
            truncated("frame.truncatedData", "a connection that closes inside DATA is an error", dropping: 2),
            truncated(
                "frame.truncatedHeader",
                "a connection that closes inside a frame header is an error",
                dropping: 9
            ),
            Self(
                name: "frame.http1",
                claim: "an HTTP/1.1 response on an HTTP/2 connection is an error (§3.4)",
                allowed: .connectionError
            ) { stream in
                try stream.connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
                stream.connection.finishWriting()
            },
            Self(
                name: "frame.garbage",
                claim: "bytes that aren't a frame are an error (§4.1)",
                allowed: .connectionError
            ) { stream in
                try stream.connection.write((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 197 &+ 91) })
                stream.connection.finishWriting()
            },
        ]

    private static func truncated(_ name: String, _ claim: String, dropping count: Int) -> Self {
        Self(name: name, claim: claim + " (§4.1)", allowed: .cut) { stream in
            let frames = [Stream.head(on: stream.number), .data("hello", on: stream.number)]
            try stream.connection.write(frames.flatMap(\.bytes).dropLast(count))
            stream.connection.finishWriting()
        }
    }

    private static let sizes: [Self] = [
        size("priority.short", "PRIORITY of 4 bytes", .priority, 4),
        size("priority.long", "PRIORITY of 6 bytes", .priority, 6),
        size("reset.short", "RST_STREAM of 3 bytes", .resetStream, 3),
        size("reset.long", "RST_STREAM of 5 bytes", .resetStream, 5),
        size("settings.short", "SETTINGS of 5 bytes", .settings, 5),
        size("settings.long", "SETTINGS of 7 bytes", .settings, 7),
        size("push.short", "PUSH_PROMISE of 3 bytes", .pushPromise, 3),
        size("ping.empty", "PING of 0 bytes", .ping, 0), size("ping.short", "PING of 7 bytes", .ping, 7),
        size("ping.long", "PING of 9 bytes", .ping, 9), size("goAway.empty", "GOAWAY of 0 bytes", .goAway, 0),
        size("goAway.short", "GOAWAY of 7 bytes", .goAway, 7),
        size("windowUpdate.short", "WINDOW_UPDATE of 3 bytes", .windowUpdate, 3),
        size("windowUpdate.long", "WINDOW_UPDATE of 5 bytes", .windowUpdate, 5),
        prefix("size.settingsAck", "an acknowledgment with settings is an error (§6.5)", .connectionError) { _ in
            [HTTP2.Frame(.settings, flags: .acknowledgment, [0, 3, 0, 0, 0, 1])]
        },
    ]

    private static func size(_ name: String, _ subject: String, _ kind: HTTP2.Frame.Kind, _ size: Int) -> Self {
        let isOnStream = [.priority, .resetStream, .pushPromise].contains(kind)
        return prefix("size.\(name)", "\(subject) is an error (§6)", .connectionError) {
            [HTTP2.Frame(kind, stream: isOnStream ? $0 : 0, Array(repeating: 1, count: size))]
        }
    }

    /// Frames that a client must ignore, so that the response after them arrives.
    private static let ignored: [Self] = [
        ignoring("unknownFrame", "a frame of an unknown type (§4.1)") { unknown(on: $0) },
        ignoring("unknownOnConnection", "an unknown frame on stream 0 (§4.1)") { _ in unknown(on: 0) },
        ignoring("unknownOnIdle", "an unknown frame on an idle stream (§4.1)") { unknown(on: $0 + 100) },
        ignoring("unknownFlags", "unknown flags (§4.1)") { _ in
            HTTP2.Frame(.ping, flags: HTTP2.Frame.Flags(rawValue: 0xFE), Array(1...8))
        },
        ignoring("reservedBit", "a reserved bit (§4.1)") { .priority($0 | 1 << 31) },
        ignoring("priority", "a PRIORITY frame (§5.3.2)") { .priority($0) },
        ignoring("priorityOnIdle", "a PRIORITY frame on an idle stream (§6.3)") { .priority($0 + 100) },
        ignoring("pingAcknowledgment", "an acknowledgment of no PING (§6.7)") { _ in .ping(isAcknowledgment: true) },
        ignoring("ping", "a PING (§6.7)") { _ in .ping() },
        ignoring("windowUpdate", "a WINDOW_UPDATE of a half-closed stream (§5.1)") { .windowUpdate($0, 1000) },
        ignoring("alternativeService", "an ALTSVC frame (RFC 7838 §4)") {
            HTTP2.Frame(.alternativeService, stream: $0, [0, 0] + Array("h2=\":1\"".utf8))
        },
        ignoring("origin", "an ORIGIN frame (RFC 8336 §2)") { _ in
            HTTP2.Frame(.origin, [0, 8] + Array("http://a".utf8))
        },
    ]

    private static func ignoring(
        _ name: String,
        _ subject: String,
        _ frame: @escaping @Sendable (UInt32) -> HTTP2.Frame
    ) -> Self {
        prefix("ignored.\(name)", "\(subject) doesn't harm a response", .response) { [frame($0)] }
    }

    private static func unknown(on stream: UInt32) -> HTTP2.Frame {
        HTTP2.Frame(.unknown, stream: stream, [1, 2])
    }
}
