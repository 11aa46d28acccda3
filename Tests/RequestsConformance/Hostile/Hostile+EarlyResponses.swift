import Requests
import RequestsClient
import RequestsTesting

/// Cases about responses that end before the request does. A success isn't the end of the upload (RFC 9113 §8.1).
extension TransportConformance.HostileExchange {
    static let earlyResponses: [Self] = [
        early(
            "success.closed",
            "a success doesn't end an upload when the connection closes",
            200,
            .cut,
            thenCloses: true
        ),
        early("success.goAway", "a success doesn't end an upload when the connection ends", 200, .cut, thenCloses: true)
        {
            [.goAway(after: $0)]
        },
        early("refusal", "a refusal ends an upload", 413, .response),
        early("refusal.withoutLength", "a refusal without a length ends an upload", 413, .response, hasLength: false),
        early("refusal.closed", "a refusal ends an upload, as does the connection", 413, .response, thenCloses: true),
        early("refusal.reset", "a refusal isn't lost when its stream is reset", 413, .response) {
            [.resetStream($0, .cancel)]
        },
    ]

    /// - Parameter rest: The frames after the response.
    private static func early(
        _ name: String,
        _ claim: String,
        _ status: Int,
        _ allowed: Allowed,
        hasLength: Bool = true,
        thenCloses: Bool = false,
        _ rest: @escaping @Sendable (_ stream: UInt32) -> [HTTP2.Frame] = { _ in [] }
    ) -> Self {
        var exchange = frames("early.\(name)", "\(claim) (RFC 9113 §8.1)", allowed, to: .post, thenCloses: thenCloses) {
            stream in
            let head: HTTP2.Frame =
                hasLength
                ? .headers([":status": "\(status)", "content-length": "5"], on: stream)
                : .headers([":status": "\(status)"], on: stream)
            return [head, .data("hello", on: stream)] + rest(stream)
        }
        // The upload is larger than the window, so it can't end before the response.
        exchange.uploadSize = 1 << 20
        return exchange
    }
}
