import Requests
import RequestsClient
import RequestsTesting

/// Cases about the start of a connection and SETTINGS (RFC 9113 §3.4, §6.5).
extension TransportConformance.HostileExchange {
    static let settings: [Self] =
        values + [
            opening(
                "opening.noSettings",
                "a server that doesn't send SETTINGS is an error (§3.4)",
                .connectionError,
                []
            ),
            opening(
                "opening.ping",
                "a frame before SETTINGS is an error (§3.4)",
                .connectionError,
                HTTP2.Frame.ping().bytes
            ),
            opening(
                "opening.acknowledgment",
                "an acknowledgment before SETTINGS is an error (§3.4)",
                .connectionError,
                HTTP2.Frame.settingsAcknowledgment.bytes
            ),
            opening(
                "opening.preface",
                "a server that sends the client's preface is an error (§3.4)",
                .connectionError,
                HTTP2.preface
            ),
            opening(
                "opening.zeros",
                "a server that sends zeros is an error (§3.4)",
                .connectionError,
                Array(repeating: 0, count: 100)
            ),
            opening(
                "opening.http1",
                "an HTTP/1.1 response to the preface is an error (§3.4)",
                .connectionError,
                Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8)
            ),
            opening(
                "opening.tls",
                "a TLS alert is an error (§3.4)",
                .connectionError,
                [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]
            ),
            Self(
                name: "opening.closed",
                claim: "a connection that closes after the preface is an error",
                allowed: .cut.or(.retry),
                open: { $0.finishWriting() },
                respond: { _ in }
            ),
            Self(
                name: "opening.closedAfterSettings",
                claim: "a connection that closes after SETTINGS is an error",
                allowed: .cut.or(.retry)
            ) { $0.connection.finishWriting() },
            prefix("settings.repeated", "SETTINGS can be repeated (§6.5)", .response) { _ in
                [.settings(), .settings([.maxConcurrentStreams: 1]), .settings()]
            },
            prefix(
                "settings.acknowledgments",
                "acknowledgments of no SETTINGS don't harm a response",
                .responseOrFailure
            ) { _ in
                Array(repeating: .settingsAcknowledgment, count: 3)
            },
        ]

    /// Cases with one setting, sent before a complete response.
    private static let values: [Self] = [
        setting("enablePush", .enablePush, 1, .connectionError),
        setting("enablePushTwo", .enablePush, 2, .connectionError),
        setting("windowTooLarge", .initialWindowSize, 1 << 31, .connectionError),
        setting("windowLargest", .initialWindowSize, .max, .connectionError),
        setting("windowZero", .initialWindowSize, 0, .response),
        setting("frameTooSmall", .maxFrameSize, 16_383, .connectionError),
        setting("frameZero", .maxFrameSize, 0, .connectionError),
        setting("frameTooLarge", .maxFrameSize, 1 << 24, .connectionError),
        setting("frameLargest", .maxFrameSize, 1 << 24 - 1, .response),
        setting("tableZero", .headerTableSize, 0, .response),
        setting("tableLargest", .headerTableSize, .max, .response),
        setting("streamsZero", .maxConcurrentStreams, 0, .response),
        setting("streamsLargest", .maxConcurrentStreams, .max, .response),
        setting("listZero", .maxHeaderListSize, 0, .response),
        setting("unknown", .unknown, 7, .response),
        setting("reserved", .reserved, 7, .response),
    ]

    private static func setting(_ name: String, _ setting: HTTP2.Setting, _ value: UInt32, _ allowed: Allowed) -> Self {
        let outcome = allowed.bodies.isEmpty ? "is a connection error" : "doesn't harm a response"
        return prefix("settings.\(name)", "the setting \(setting.rawValue) of \(value) \(outcome) (§6.5.2)", allowed) {
            _ in [.settings([setting: value])]
        }
    }
}
