import Requests
import RequestsClient
import RequestsTesting

/// Cases about flow control (RFC 9113 §5.2, §6.9).
extension TransportConformance.HostileExchange {
    static let windows: [Self] =
        uploads + [
            inside("window.zeroOnStream", "a WINDOW_UPDATE of 0 on a stream is an error (§6.9)", .connectionError) {
                [.windowUpdate($0, 0)]
            },
            prefix("window.zeroOnConnection", "a WINDOW_UPDATE of 0 is a connection error (§6.9)", .connectionError) {
                _ in
                [.windowUpdate(0, 0)]
            },
            prefix(
                "window.overflowOnConnection",
                "a connection window above 2^31-1 is an error (§6.9.1)",
                .connectionError
            ) {
                _ in [.windowUpdate(0, 0x7FFF_FFFF)]
            },
            prefix("window.largestOnConnection", "a connection window of 2^31-1 is valid (§6.9.1)", .response) { _ in
                [.windowUpdate(0, 0x7FFF_FFFF - 65_535)]
            },
            Self(
                name: "window.ignored",
                claim: "a body that ignores the client's windows arrives whole or not at all (§6.9.1)",
                allowed: Allowed(bodies: [Data(count: 24 << 20)]).or(.connectionError)
            ) { stream in
                try stream.send(Stream.head(on: stream.number, length: 24 << 20))
                let piece = HTTP2.Frame.data(Array(repeating: 0, count: 16 << 10), on: stream.number, endStream: false)
                for _ in 0..<(24 << 6) { try stream.send(piece) }
                try stream.send(.data("", on: stream.number))
            },
        ]

    private static func upload(
        _ name: String,
        _ claim: String,
        _ allowed: Allowed = .response,
        size: Int = 100_000,
        window: UInt32 = 65_535,
        timeouts: Timeouts = Timeouts(idle: .seconds(3600)),
        _ respond: @escaping @Sendable (TransportConformance.HostileStream) throws -> Void
    ) -> Self {
        Self(
            name: "window.\(name)",
            claim: claim,
            allowed: allowed,
            method: .post,
            uploadSize: size,
            timeouts: timeouts,
            open: { try $0.acceptHTTP2(.settings([.initialWindowSize: window])) },
            respond: respond
        )
    }

    private static let uploads: [Self] = [
        upload("oneByte", "an upload goes through a window of one byte (§6.9)", size: 50, window: 1) { stream in
            for count in 1...50 {
                try stream.receiveBody(count)
                try stream.send(.windowUpdate(stream.number, 1))
            }
            try stream.sendResponse()
        },
        upload("closedAtFirst", "an upload waits for a window (§6.9)", window: 0) { stream in
            try stream.send(.windowUpdate(0, 100_000), .windowUpdate(stream.number, 100_000))
            try stream.receiveBody(100_000)
            try stream.sendResponse()
        },
        upload("openedBySettings", "SETTINGS enlarge the windows of open streams (§6.9.2)", window: 0) { stream in
            try stream.send(.windowUpdate(0, 100_000), .settings([.initialWindowSize: 100_000]))
            try stream.receiveBody(100_000)
            try stream.sendResponse()
        },
        upload("negative", "an upload waits while its window is negative (§6.9.2)") { stream in
            try stream.receiveBody(65_535)
            try stream.send(.settings([.initialWindowSize: 0]), .windowUpdate(0, 100_000))
            for count in [65_535, 34_464, 1] as [UInt32] { try stream.send(.windowUpdate(stream.number, count)) }
            try stream.receiveBody(100_000)
            try stream.sendResponse()
        },
        upload("connectionOnly", "an upload waits for the connection's window, too (§6.9.1)", window: 1 << 20) {
            stream in
            try stream.receiveBody(65_535)
            try stream.send(.windowUpdate(0, 34_465))
            try stream.receiveBody(100_000)
            try stream.sendResponse()
        },
        upload("overflowOnStream", "a stream window above 2^31-1 is an error (§6.9.1)", .connectionError) { stream in
            // Sent twice, because the first one overflows only if the client hasn't used any of the window.
            try stream.send(.windowUpdate(stream.number, 0x7FFF_FFFF), .windowUpdate(stream.number, 0x7FFF_FFFF))
            try stream.sendResponse()
        },
        upload("overflowBySettings", "SETTINGS that make a window overflow are an error (§6.9.2)", .connectionError) {
            stream in
            let largest: UInt32 = 0x7FFF_FFFF
            try stream.send(.windowUpdate(stream.number, largest - 65_535), .settings([.initialWindowSize: largest]))
            try stream.sendResponse()
        },
        upload(
            "neverOpened",
            "an upload without a window ends with its timeout (§6.9)",
            Allowed(codes: [.timedOut(.total)]),
            window: 0,
            timeouts: Timeouts(total: .milliseconds(200))
        ) { _ in },
        upload("closedWithConnection", "an upload without a window ends with its connection", .cut, window: 0) {
            $0.connection.finishWriting()
        },
    ]
}
