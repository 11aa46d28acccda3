import RequestsConformance
import RequestsTesting

@testable import RequestsCurl

/// The conformance cases that the linked libcurl can't pass, each with what happens instead.
enum LibcurlLimits {
    static let cases = LibcurlBuild.hasHTTP2 ? ofHTTP2 : [.certificateWithoutNamesKept("libcurl lacks HTTP/2")]

    private static let ofHTTP2 =
        everywhere + (version < 800 ? before8 : since8 + ofVersion8) + (version < 811 ? before8_11 : [])

    /// Whether libcurl may close an HTTP/2 connection when it has sent the end of a request whose response has ended
    /// before. What the server hasn't read is then lost.
    static let mayCloseAfterUploads = version < 800

    private static let version = LinkedLibcurl.version
    private static let ofVersion8 = version < 816 ? before8_16 : since8_16

    static let names = Set(cases.map(\.name))

    private static func cases(_ names: String..., reason: String) -> [TransportConformance.Case] {
        names.map { .http2($0)(reason) }
    }

    private static func cases(startingWith prefix: String, reason: String) -> [TransportConformance.Case] {
        TransportConformance.Case.all.filter { $0.name.hasPrefix(prefix) }.map { $0(reason) }
    }

    private static let everywhere = cases(
        "head.leadingSpace",
        "head.trailingTab",
        reason: "libcurl disables nghttp2's check of the whitespace around values"
    )

    private static let before8 =
        cases(
            "reset.afterEarlyResponse.noError",
            "early.refusal.reset",
            reason: "libcurl drops a response that precedes the end of the upload"
        )
        + cases(
            "fatal.continuation.afterEnd",
            "fatal.window.zeroOnStream",
            "fatal.padding.tooMuch.data",
            "fatal.padding.tooMuch.dataByOne",
            "fatal.padding.missing",
            reason: "after a connection error in the body, libcurl waits for the server to close the connection"
        )

    private static let before8_11 = cases(
        "early.refusal.withoutLength",
        reason: "libcurl waits for a timeout after the end of the response"
    )

    private static let since8 =
        cases(
            "reset.afterHead.noError",
            "reset.inBody.noError",
            reason: "libcurl takes a reset with NO_ERROR for the end of the body"
        )
        + cases(
            "reset.duringUpload.http11Required",
            reason: "libcurl repeats the request after a part of the upload, with a wrong error"
        )
        + cases(
            "trailers.lineInValue",
            "trailers.emptyName",
            reason: "libcurl drops invalid trailers instead of rejecting the response"
        )

    private static let before8_16 =
        cases(
            startingWith: "http2.fatal.",
            reason: "after a connection error, libcurl waits for the server to close"
        )
        + cases(
            startingWith: "http2.flood.",
            reason: "after a flood, libcurl waits for the server to close, or the next request fails"
        )
        + cases(
            "bomb.longValue",
            "bomb.longName",
            "bomb.trailers",
            "push.afterEnd",
            "settings.acknowledgments",
            "settings.streamsZero",
            reason: "after a connection error, libcurl waits for the server to close, or the next request fails"
        )

    private static let since8_16 =
        cases("fatal.stream.priorityOnConnection", reason: "nghttp2 ignores PRIORITY frames")
        + cases(
            "bomb.trailers",
            "flood.settings",
            "flood.endless.settings",
            "flood.pings",
            "flood.endless.pings",
            "flood.endless.informationalHeads",
            reason: "the error of the first response fails the next request, too"
        )
}
