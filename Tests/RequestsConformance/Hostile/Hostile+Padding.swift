import Requests
import RequestsClient
import RequestsTesting

/// Cases about padding (RFC 9113 §6.1, §6.2) and pushed responses (§8.4).
extension TransportConformance.HostileExchange {
    static let paddings: [Self] = [
        frames("padding.data", "padding isn't part of a body (§6.1)", .response) {
            [Stream.head(on: $0), .data("hello", on: $0).padded(by: 255)]
        },
        frames("padding.zero", "padding can be empty (§6.1)", .response) {
            [Stream.head(on: $0).padded(by: 0), .data("hello", on: $0).padded(by: 0)]
        },
        frames("padding.only", "DATA can be all padding (§6.1)", .response) {
            [Stream.head(on: $0), .data("", on: $0, endStream: false).padded(by: 200), .data("hello", on: $0)]
        },
        frames("padding.everyByte", "each byte of a body can be padded (§6.1)", .response) { stream in
            [Stream.head(on: stream)]
                + "hello".utf8.map { HTTP2.Frame.data([$0], on: stream, endStream: false).padded(by: 255) }
                + [.data("", on: stream)]
        },
        frames("padding.head", "padding isn't part of a head (§6.2)", .response) {
            [Stream.head(on: $0).padded(by: 100), .data("hello", on: $0)]
        },
        tooMuch("data", .data, 5), tooMuch("dataByOne", .data, 1), tooMuch("headers", .headers, 5),
        frames("padding.missing", "a padded frame without its length is an error (§6.1)", .connectionError) {
            [Stream.head(on: $0), HTTP2.Frame(.data, flags: [.padded, .endStream], stream: $0)]
        },
        frames("padding.missingInHead", "a padded head without its length is an error (§6.2)", .connectionError) {
            [HTTP2.Frame(.headers, flags: [.padded, .endHeaders], stream: $0)] + Stream.response(on: $0)
        },
        frames("padding.priorityOnly", "a head shorter than its priority is an error (§6.2)", .connectionError) {
            [HTTP2.Frame(.headers, flags: [.priority, .endHeaders], stream: $0, [0, 0])] + Stream.response(on: $0)
        },
        frames("padding.priority", "a priority isn't part of a head (§6.2)", .response) { stream in
            var head = Stream.head(on: stream)
            head.flags.insert(.priority)
            head.payload = [0, 0, 0, 0, 16] + head.payload
            return [head, .data("hello", on: stream)]
        },
    ]

    /// Returns a case with a frame whose padding is longer than its payload.
    private static func tooMuch(_ name: String, _ kind: HTTP2.Frame.Kind, _ excess: UInt8) -> Self {
        frames("padding.tooMuch.\(name)", "padding longer than its frame is an error (§6.1)", .connectionError) {
            let flags: HTTP2.Frame.Flags = [.padded, .endHeaders]
            let frame = HTTP2.Frame(kind, flags: flags, stream: $0, [9 + excess] + Array(repeating: 0, count: 9))
            return (kind == .data ? [Stream.head(on: $0), frame] : [frame]) + [.data("hello", on: $0)]
        }
    }

    static let pushed: KeyValuePairs = [
        ":method": "GET", ":scheme": "http", ":authority": "127.0.0.1", ":path": "/",
    ]

    /// Pushed responses although the client disabled them.
    static let pushes: [Self] = [
        prefix("push.unwanted", "a push that the client disabled is a connection error (§8.4)", .connectionError) {
            [.pushPromise(pushed, promising: 2, on: $0)]
        },
        prefix("push.withResponse", "a pushed response is never the response (§8.4)", .connectionError) {
            [.pushPromise(pushed, promising: 2, on: $0)] + Stream.response(on: 2, "evil!")
        },
        prefix("push.odd", "a push on a stream of the client is a connection error (§5.1.1)", .connectionError) {
            [.pushPromise(pushed, promising: $0 + 2, on: $0)]
        },
        prefix("push.zero", "a push on stream 0 is a connection error (§6.6)", .connectionError) {
            [.pushPromise(pushed, promising: 0, on: $0)]
        },
        prefix("push.same", "a push on the request's stream is a connection error (§6.6)", .connectionError) {
            [.pushPromise(pushed, promising: $0, on: $0)]
        },
        prefix("push.onIdle", "a push for an idle stream is a connection error (§6.6)", .connectionError) {
            [.pushPromise(pushed, promising: 2, on: $0 + 2)]
        },
        prefix("push.onConnection", "a push for stream 0 is a connection error (§6.6)", .connectionError) { _ in
            [.pushPromise(pushed, promising: 2, on: 0)]
        },
        suffix("push.afterEnd", "a push after the end doesn't change a response (§6.6)", .response.or(.connectionError))
        {
            [.pushPromise(pushed, promising: 2, on: $0)]
        },
    ]
}
