import RequestsTesting

@testable import RequestsCurl

/// The conformance cases that the linked libcurl can't pass, each with what happens instead.
enum LibcurlLimits {
    static let cases = everywhere + (LinkedLibcurl.version < .init(major: 8, minor: 0) ? before8 : since8)

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

    private static let since8 =
        cases(
            startingWith: "http2.fatal.",
            reason: "after a connection error, libcurl waits for the server to close, or the error is tooLarge"
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
        + cases(
            "reset.afterHead.noError",
            "reset.inBody.noError",
            reason: "libcurl takes a reset with NO_ERROR for the end of the body"
        )
        + cases(
            "reset.afterHead.http11Required",
            "reset.inBody.http11Required",
            "reset.duringUpload.http11Required",
            reason: "libcurl repeats the request after the head or a part of the upload, with a wrong error"
        )
        + cases(
            "trailers.lineInValue",
            "trailers.emptyName",
            reason: "libcurl drops invalid trailers instead of rejecting the response"
        )
}
