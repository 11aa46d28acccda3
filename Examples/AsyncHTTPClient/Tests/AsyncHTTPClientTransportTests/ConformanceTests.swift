import AsyncHTTPClient
import AsyncHTTPClientTransport
import Foundation
import NIOSSL
import Requests
import RequestsTesting
import Testing

@Test(
    "AsyncHTTPClientTransport does what every transport must, as far as AsyncHTTPClient lets it",
    .timeLimit(.minutes(15))
)
func conformance() async throws {
    let report = try await TransportConformance.run(
        excluding: exclusions,
        makeTLSTransport: { options in
            guard options.publicKeyPins.isEmpty else {
                throw TransportError(code: .unsupported, message: "AsyncHTTPClient has no pins", phase: .preparing)
            }
            var tls = TLSConfiguration.makeClientConfiguration()
            if let authority = options.authority { tls.trustRoots = .file(authority.path()) }
            return AsyncHTTPClientTransport(configuration: HTTPClient.Configuration(tlsConfiguration: tls))
        },
        makeTransport: { AsyncHTTPClientTransport() }
    )
    // The table that CI prints.
    if let file = ProcessInfo.processInfo.environment["REQUESTS_CONFORMANCE_RESULTS"] {
        try report.append(to: URL(filePath: file), as: "AsyncHTTPClient")
    }
}

/// What AsyncHTTPClient cannot be made to do, with what happens instead.
private let exclusions: [TransportConformance.Case] = [
    .lengthAndChunked("SwiftNIO's parser refuses a length beside chunks as malformed"),
    .bareLineFeeds("SwiftNIO's parser refuses lines that end with a line feed alone as malformed"),
    .foldedField("SwiftNIO's parser refuses folded lines as malformed"),
    .latin1Value("SwiftNIO repairs values that are not UTF-8, and the bytes are lost"),
    .closedWithoutAnswer("a cut status line is to SwiftNIO a cut head: truncated, not closed"),
    .trailers("AsyncHTTPClient drops them, but for a trait that its authors call unstable"),
    .gzip("gzip is undone, but its other name x-gzip is left alone"),
    .tooManyCodings("one of the codings is undone, under the header of all six"),
    .deflate("a body without zlib's wrapper is an error"),
    .answerBeforeTheEnd("an early answer is sometimes lost: the upload that it ends fails the whole exchange"),
    .staleConnection("a PUT over a kept connection that closes at that moment is an error: it may have been processed"),
]
