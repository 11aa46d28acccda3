import AsyncHTTPClient
import RequestsAsyncHTTPClient
import Foundation
import NIOSSL
import RequestsClient
import RequestsConformance
import Testing

@Test(
    "AsyncHTTPClientTransport passes every conformance case that AsyncHTTPClient allows",
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
    // For the table that CI prints.
    if let file = ProcessInfo.processInfo.environment["REQUESTS_CONFORMANCE_RESULTS"] {
        try report.append(to: URL(filePath: file), as: "AsyncHTTPClient")
    }
}

/// The cases that AsyncHTTPClient can't pass, each with what happens instead.
private let exclusions: [TransportConformance.Case] = [
    .lengthAndChunked("SwiftNIO's parser rejects a length together with chunks"),
    .bareLineFeeds("SwiftNIO's parser rejects lines that end with a bare line feed"),
    .foldedField("SwiftNIO's parser rejects folded lines"),
    .latin1Value("SwiftNIO replaces invalid UTF-8 in values, so the bytes are lost"),
    .opaqueOctets("SwiftNIO replaces invalid UTF-8 in values, so the bytes are lost"),
    .closedBeforeResponse("SwiftNIO reports a truncated status line as a truncated head: truncated, not closed"),
    .trailers("AsyncHTTPClient drops trailers, unless an unstable package trait is enabled"),
    .gzip("gzip is decoded, but its alias x-gzip isn't"),
    .tooManyEncodings("only one of the encodings is decoded, and the header still has all six"),
    .deflate("a body without the zlib wrapper is an error"),
    .earlyResponse("an early response is sometimes lost, because the interrupted upload fails the exchange"),
    .earlySuccess(endsUploads), .earlySuccessOfFailingSource(endsUploads), .earlySuccessOfShortSource(endsUploads),
    .refusedExpectation("the body doesn't wait for 100 Continue"),
    .connectionOfRefusal("the connection is kept if the upload fits into the socket"),
    .staleConnection("a PUT over a connection that closes at that moment is an error: it may have been processed"),
]

private let endsUploads = "the end of a response ends the upload, sometimes before the rest is sent: closed"
