import Requests
import RequestsClient
import RequestsTesting

/// Cases about RST_STREAM with each code at each stage of a response (RFC 9113 §6.4, §8.1).
extension TransportConformance.HostileExchange {
    private enum Stage: String, CaseIterable {
        case beforeHead, afterHead, inBody, afterResponse, duringUpload, afterEarlyResponse

        var claim: String {
            switch self {
            case .beforeHead: "before the head is a closed connection"
            case .afterHead: "after the head is an incomplete response"
            case .inBody: "in the body is an incomplete response"
            case .afterResponse: "after a complete response doesn't harm it"
            case .duringUpload: "during the upload is a closed connection"
            case .afterEarlyResponse: "after a success without the end of the upload is an error, except for NO_ERROR"
            }
        }

        /// The frames before the reset. They have no Content-Length, so only the reset shows that the body is
        /// incomplete.
        func frames(on stream: UInt32) -> [HTTP2.Frame] {
            switch self {
            case .beforeHead, .duringUpload: []
            case .afterHead: [.headers([":status": "200"], on: stream)]
            case .inBody: [.headers([":status": "200"], on: stream), .data("hell", on: stream, endStream: false)]
            case .afterResponse, .afterEarlyResponse: Stream.response(on: stream)
            }
        }

        func allowed(after code: HTTP2.ErrorCode) -> Allowed {
            let isWhole = self == .afterResponse
            switch code {
            // Clients must not discard a complete response because of NO_ERROR, which also ends an upload.
            case .noError: return isWhole || self == .afterEarlyResponse ? Allowed.response : .cut
            // The request wasn't processed, so the client may repeat it (RFC 9113 §8.7).
            case .refusedStream: return isWhole ? Allowed.response.or(.cut).or(.retry) : Allowed.cut.or(.retry)
            // The client may repeat the request over HTTP/1.1.
            case .http11Required: return isWhole ? Allowed.response.or(.cut) : Allowed.cut.or(.retry)
            // A client also uses this code for its own reset of a malformed response, and may confuse the two.
            case .protocolError: return isWhole ? Allowed.response.or(.connectionError) : .connectionError
            default: return isWhole ? Allowed.response.or(.cut) : .cut
            }
        }
    }

    static let resets: [Self] = Stage.allCases.flatMap { stage in
        HTTP2.ErrorCode.allCases.map { code in
            var exchange = frames(
                "reset.\(stage).\(code)",
                "a reset with \(code) \(stage.claim) (RFC 9113 §8.1)",
                stage.allowed(after: code)
            ) { stage.frames(on: $0) + [.resetStream($0, code)] }
            if stage == .duringUpload || stage == .afterEarlyResponse {
                // The upload is larger than the window, so it can't end before the reset.
                (exchange.method, exchange.uploadSize) = (.post, 1 << 20)
            }
            return exchange
        }
    }
}
