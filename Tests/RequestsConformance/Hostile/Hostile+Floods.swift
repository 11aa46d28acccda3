import Requests
import RequestsClient
import RequestsTesting

/// Cases about floods of frames that cost the client more than the server (RFC 9113 §10.5).
extension TransportConformance.HostileExchange {
    private typealias Frames = @Sendable (UInt32) -> [HTTP2.Frame]

    /// Frames that are repeated before a response or endlessly. A client must limit how many it processes.
    private static let storms: KeyValuePairs<String, Frames> = [
        "settings": { _ in [.settings([.maxConcurrentStreams: 100])] },
        "acknowledgments": { _ in [.settingsAcknowledgment] },
        "pings": { _ in [.ping()] },
        "pingAcknowledgments": { _ in [.ping(isAcknowledgment: true)] },
        "windowUpdates": { _ in [.windowUpdate(0, 1)] },
        "streamWindowUpdates": { [.windowUpdate($0, 1)] },
        "priorities": { [.priority($0 + 2)] },
        "unknownFrames": { [HTTP2.Frame(.unknown, stream: $0)] },
        "informationalHeads": { [.headers([":status": "103"], on: $0)] },
        "resets": { [.resetStream($0 + 1000, .cancel)] },
        "pushes": { [.pushPromise([":method": "GET", ":path": "/"], promising: 2, on: $0)] },
        "goAways": { _ in [.goAway(after: 0x7FFF_FFFF)] },
    ]

    /// Frames inside a body that don't extend it.
    private static let emptyStorms: KeyValuePairs<String, Frames> = [
        "emptyData": { [.data("", on: $0, endStream: false)] },
        "padding": { [HTTP2.Frame.data("", on: $0, endStream: false).padded(by: 255)] },
    ]

    private static let head: Frames = { [Stream.head(on: $0)] }
    private static let startOfHead: Frames = { [.headers([":status": "200"], on: $0, endHeaders: false)] }

    static let floods: [Self] =
        storms.flatMap { [finite($0, $1), endless($0, $1)] }
        + emptyStorms.flatMap { [finite($0, after: head, $1), endless($0, after: head, $1)] }
        + [
            frames(
                "flood.continuations",
                "5000 empty CONTINUATION frames end in the response or a failure",
                .responseOrFailure
            ) {
                startOfHead($0)
                    + Array(repeating: .continuation(block: [], on: $0, endHeaders: false), count: 5000)
                    + [.continuation(block: [], on: $0), .data("hello", on: $0)]
            },
            endless("continuations", after: startOfHead) {
                [.continuation(block: [], on: $0, endHeaders: false)]
            },
            endless("fields", after: startOfHead) {
                [.continuation(block: HPACK.literal("x", "y"), on: $0, endHeaders: false)]
            },
        ]

    private static func finite(_ name: String, after start: Frames? = nil, _ storm: @escaping Frames) -> Self {
        frames("flood.\(name)", "3000 frames (\(name)) end in the response or a failure (§10.5)", .responseOrFailure) {
            stream in
            let frames = Array(repeatElement(storm(stream), count: 3000).joined())
            guard let start else { return frames + Stream.response(on: stream) }
            return start(stream) + frames + [.data("hello", on: stream)]
        }
    }

    /// Returns a case in which the server never sends the response, so the total timeout must end the request.
    private static func endless(_ name: String, after start: Frames? = nil, _ storm: @escaping Frames) -> Self {
        Self(
            name: "flood.endless.\(name)",
            claim: "a total timeout ends an endless flood (\(name)) (§10.5)",
            allowed: .tooLarge.or(Allowed(codes: [.timedOut(.total)])),
            timeouts: Timeouts(total: .milliseconds(200))
        ) { stream in
            let number = stream.number
            if let start { try stream.send(start(number)) }
            try stream.flood(Array(repeatElement(storm(number), count: 100).joined()))
        }
    }
}
