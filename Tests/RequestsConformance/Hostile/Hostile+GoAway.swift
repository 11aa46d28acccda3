import Requests
import RequestsClient
import RequestsTesting

/// Cases about GOAWAY at each stage of a response, with each kind of last stream (RFC 9113 §6.8).
extension TransportConformance.HostileExchange {
    private enum Stage: String, CaseIterable {
        case beforeHead, inBody, afterResponse

        /// Returns a response with a frame inserted at this stage.
        func insert(_ frame: HTTP2.Frame, on stream: UInt32, completes: Bool) -> [HTTP2.Frame] {
            let response: [HTTP2.Frame] = [
                .headers([":status": "200"], on: stream), .data("hell", on: stream, endStream: false),
                .data("o", on: stream),
            ]
            let position = [Stage.beforeHead: 0, .inBody: 2, .afterResponse: 3][self] ?? 0
            return response[..<position] + [frame] + (completes ? response[position...] : [])
        }
    }

    private enum LastStream: String, CaseIterable {
        case none, this, later, largest

        func number(for stream: UInt32) -> UInt32 {
            switch self {
            case .none: 0
            case .this: stream
            case .later: stream + 2
            case .largest: 0x7FFF_FFFF
            }
        }
    }

    static let goAways: [Self] =
        positions + reasons + [
            prefix("goAway.graceful", "a graceful shutdown doesn't harm a response (RFC 9113 §6.8)", .response) {
                [.goAway(after: 0x7FFF_FFFF), .goAway(after: $0)]
            },
            prefix(
                "goAway.increasing",
                "a GOAWAY that retracts an earlier one is handled",
                .responseOrFailure.or(.retry)
            ) {
                [.goAway(after: 0), .goAway(after: $0)]
            },
            frames("goAway.beforeReset", "a reset after a GOAWAY is an incomplete response", .cut) {
                [.goAway(after: $0), .headers([":status": "200"], on: $0), .resetStream($0, .internalError)]
            },
        ]

    private static let positions = Stage.allCases.flatMap { stage in
        LastStream.allCases.flatMap { last in
            [true, false].map { completes in
                frames(
                    "goAway.\(stage).\(last).\(completes ? "completes" : "closes")",
                    claim(stage, last, completes),
                    allowed(stage, last, completes),
                    thenCloses: true
                ) { stage.insert(.goAway(after: last.number(for: $0)), on: $0, completes: completes) }
            }
        }
    }

    private static func allowed(_ stage: Stage, _ last: LastStream, _ completes: Bool) -> Allowed {
        let isWhole = completes || stage == .afterResponse
        // A request after the last stream wasn't processed, so the client may repeat it.
        guard last == .none else { return isWhole ? Allowed.response : .cut }
        return (isWhole ? Allowed.response.or(.cut) : .cut).or(stage == .beforeHead ? .retry : Allowed())
    }

    private static func claim(_ stage: Stage, _ last: LastStream, _ completes: Bool) -> String {
        let isWhole = completes || stage == .afterResponse
        let outcome =
            last == .none
            ? "says that the request wasn't processed"
            : isWhole ? "doesn't harm the response" : "is an incomplete response"
        return "a GOAWAY (\(stage), last stream: \(last)) \(outcome) (RFC 9113 §6.8)"
    }

    private static let reasons = HTTP2.ErrorCode.allCases.map { code in
        prefix(
            "goAway.reason.\(code)",
            "a GOAWAY with \(code) ends in the response or a failure (RFC 9113 §6.8)",
            .response.or(.connectionError)
        ) { [.goAway(after: $0, code)] }
    }
}
