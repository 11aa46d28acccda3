import Requests
import RequestsClient
import RequestsTesting

/// Cases about frames that are out of order or on the wrong stream (RFC 9113 §5.1, §6).
extension TransportConformance.HostileExchange {
    static let states: [Self] =
        streams + idleStreams + continuations + [
            inside("state.secondHead", "a head in the body is malformed (§8.1)", .malformed) {
                [.headers([":status": "200"], on: $0)]
            },
            inside("state.unfinishedTrailers", "trailers that don't end the stream are malformed (§8.1)", .malformed) {
                [.data("", on: $0, endStream: false), .headers(["x": "y"], on: $0)]
            },
            frames("state.dataFirst", "DATA before the head is malformed (§8.1)", .connectionError) {
                [.data("hello", on: $0)]
            },
            frames("state.dataBeforeHead", "DATA before the head is malformed (§8.1)", .connectionError) {
                [.data("he", on: $0, endStream: false)] + Stream.response(on: $0)
            },
            frames("state.finalHeadEndsEarly", "a head without a body is complete (§8.1)", Allowed(bodies: [Data()])) {
                [.headers([":status": "200"], on: $0, endStream: true)]
            },
            suffix("state.dataAfterEnd", "DATA after the end doesn't change a response (§5.1)", afterEnd) {
                [.data("evil", on: $0)]
            },
            suffix("state.headAfterEnd", "a head after the end doesn't change a response (§5.1)", afterEnd) {
                [.headers([":status": "404"], on: $0, endStream: true)]
            },
            suffix("state.windowAfterEnd", "a WINDOW_UPDATE after the end is ignored (§5.1)", .response) {
                [.windowUpdate($0, 1)]
            },
            suffix("state.priorityAfterEnd", "a PRIORITY after the end is ignored (§5.1)", .response) {
                [.priority($0)]
            },
            frames("state.dataAfterReset", "DATA after a reset doesn't complete a response (§5.1)", .cut) {
                [Stream.head(on: $0), .resetStream($0, .cancel), .data("hello", on: $0)]
            },
        ]

    /// The outcomes for a frame after the end of the stream: the complete response, or a connection error.
    private static let afterEnd = Allowed.response.or(.connectionError)

    /// Frames on the wrong stream, which are connection errors.
    private static let streams: [Self] = [
        prefix("stream.dataOnConnection", "DATA on stream 0 is a connection error (§6.1)", .connectionError) { _ in
            [.data("x", on: 0)]
        },
        prefix("stream.headersOnConnection", "HEADERS on stream 0 are a connection error (§6.2)", .connectionError) {
            _ in [.headers([":status": "200"], on: 0)]
        },
        prefix("stream.priorityOnConnection", "PRIORITY on stream 0 is a connection error (§6.3)", .connectionError) {
            _ in [.priority(0)]
        },
        prefix("stream.resetOnConnection", "RST_STREAM on stream 0 is a connection error (§6.4)", .connectionError) {
            _ in [.resetStream(0, .cancel)]
        },
        prefix("stream.settings", "SETTINGS on a stream are a connection error (§6.5)", .connectionError) {
            [.settings().on($0)]
        },
        prefix("stream.ping", "a PING on a stream is a connection error (§6.7)", .connectionError) { [.ping().on($0)] },
        prefix("stream.goAway", "a GOAWAY on a stream is a connection error (§6.8)", .connectionError) {
            [.goAway(after: $0).on($0)]
        },
        prefix("stream.pushOnConnection", "PUSH_PROMISE on stream 0 is a connection error (§6.6)", .connectionError) {
            _ in [.pushPromise(pushed, promising: 2, on: 0)]
        },
        prefix(
            "stream.continuationOnConnection",
            "CONTINUATION on stream 0 is a connection error (§6.10)",
            .connectionError
        ) {
            _ in [.continuation(block: [], on: 0)]
        },
    ]

    /// Frames on idle streams, which are connection errors.
    private static let idleStreams: [Self] =
        idle("data") { .data("x", on: $0) } + idle("windowUpdate") { .windowUpdate($0, 1) }
        + idle("reset") { .resetStream($0, .cancel) }
        + idle("headers") { .headers([":status": "200"], on: $0, endStream: true) } + [
            prefix("idle.headersOnEven", "HEADERS on a stream of the server are an error (§5.1.1)", .connectionError) {
                _ in [.headers([":status": "200"], on: 2, endStream: true)]
            },
            prefix("idle.dataOnEven", "DATA on a stream of the server is an error (§5.1)", .connectionError) { _ in
                [.data("x", on: 2)]
            },
        ]

    private static func idle(_ kind: String, _ frame: @escaping @Sendable (UInt32) -> HTTP2.Frame) -> [Self] {
        [2, 100, 0x7FFF_FFFE].map { (distance: UInt32) in
            prefix(
                "idle.\(kind)After\(distance)",
                "\(kind) on an idle stream is a connection error (§5.1)",
                .connectionError
            ) { [frame(min($0 + distance, 0x7FFF_FFFF))] }
        }
    }

    private static let continuations: [Self] = [
        prefix("continuation.first", "CONTINUATION without HEADERS is a connection error (§6.10)", .connectionError) {
            [.continuation(block: HPACK.block([":status": "200"]), on: $0)]
        },
        inside(
            "continuation.afterEnd",
            "CONTINUATION after the end of a head is a connection error (§6.10)",
            .connectionError
        ) {
            [.continuation(block: HPACK.block(["x": "y"]), on: $0)]
        },
        frames("continuation.valid", "a head can be in several frames (§6.10)", .response) {
            [
                .headers([":status": "200"], on: $0, endHeaders: false),
                .continuation(block: [], on: $0, endHeaders: false),
                .continuation(block: HPACK.block(["x": "y"]), on: $0), .data("hello", on: $0),
            ]
        },
        frames("continuation.insideField", "a field can be in several frames (§4.3)", .response) {
            let block = HPACK.block([":status": "200", "content-length": "5"])
            return [
                .headers(block: Array(block[..<5]), on: $0, endHeaders: false),
                .continuation(block: Array(block[5..<20]), on: $0, endHeaders: false),
                .continuation(block: Array(block[20...]), on: $0), .data("hello", on: $0),
            ]
        },
        interrupted("data") { .data("hello", on: $0) },
        interrupted("headers") { .headers(["x": "y"], on: $0) },
        interrupted("otherStream") { .continuation(block: [], on: $0 + 2) },
        interrupted("settings") { _ in .settings() },
        interrupted("ping") { _ in .ping() },
        interrupted("windowUpdate") { _ in .windowUpdate(0, 1) },
        interrupted("unknown") { _ in HTTP2.Frame(.unknown) },
        interrupted("reset") { .resetStream($0, .cancel) },
        frames("continuation.never", "a head that doesn't end is an error (§4.3)", .connectionError, thenCloses: true) {
            [.headers([":status": "200"], on: $0, endHeaders: false)]
        },
    ]

    /// Returns a case with a frame between HEADERS and CONTINUATION.
    private static func interrupted(_ name: String, by frame: @escaping @Sendable (UInt32) -> HTTP2.Frame) -> Self {
        frames(
            "continuation.interruptedBy.\(name)",
            "a frame inside a head is a connection error (§6.10)",
            .connectionError
        ) {
            [
                .headers([":status": "200"], on: $0, endHeaders: false), frame($0), .continuation(block: [], on: $0),
                .data("hello", on: $0),
            ]
        }
    }
}
