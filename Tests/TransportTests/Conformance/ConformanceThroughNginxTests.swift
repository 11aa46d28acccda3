import RequestsConformance
import RequestsCurl
import RequestsTesting
import Testing

/// Runs the suite with nginx in front of its servers, which adds TLS, HTTP/2 and another HTTP implementation.
@Suite(
    "Conformance of each transport through nginx",
    .timeLimit(.minutes(15)),
    .serialized,
    .enabled(if: Nginx.tlsURL != nil, "REQUESTS_NGINX_TLS_URL is not set; scripts/test starts an nginx and sets it")
)
struct ConformanceThroughNginxTests {
    @Test("CurlTransport passes the conformance cases through nginx, over TLS and HTTP/2")
    func curl() async throws {
        let nginx = try #require(Nginx.tlsURL)
        var configuration = CurlTransport.Configuration()
        configuration.tls.authorities = .file(try #require(Nginx.authority))
        try await TransportConformance.run(
            excluding: NginxLimits.cases + NginxLimits.overHTTP2,
            reaching: { nginx.appending(path: "to/\($0.port)") },
            makeTransport: { [configuration] in
                Saboteur(try CurlTransport(configuration: configuration)) { request, send in
                    let response = try await send(request)
                    if request.url.scheme == "https" { #expect(response.head.httpVersion == .http2) }
                    return response
                }
            }
        )
        .appendToResults(as: "libcurl, HTTP/2 through nginx")
    }
}

/// The cases in which nginx responds instead of the server or repairs its response.
enum NginxLimits {
    static let cases: [TransportConformance.Case] = [
        .informationalHeads("nginx treats the first head as the response"),
        .lengthAndChunked("nginx responds with its own error"),
        .unsupportedTransferEncodings("nginx responds with its own error"),
        .conflictingLengths("nginx responds with its own error"),
        .invalidFields("nginx responds with its own error"),
        .bareCarriageReturns("nginx repairs the line or responds with its own error"),
        .invalidLengths("nginx responds with its own error"),
        .invalidChunkSize("nginx closes the connection at the invalid size"),
        .trailers("nginx drops trailers"),
        .requestTrailers("nginx drops trailers"),
        .truncatedHead("nginx responds instead of the failed server"),
        .closedBeforeResponse("nginx responds instead of the failed server"),
        .resetBeforeResponse("nginx responds instead of the failed server"),
        .noAutomaticRetry("nginx responds instead of the failed server"),
        .resetDuringUpload("nginx responds instead of the failed server"),
        .closedAfterEarlySuccess("nginx receives the rest of the upload instead of the closed server"),
        .refusedConnection("nginx responds instead of the failed server"),
        .connectTimeout("nginx waits for the connection, not the transport"),
        .canceledWhileConnecting("nginx waits for the connection, not the transport"),
        .repeatedFields("nginx reorders fields"),
        .foldedField("nginx drops folded fields"),
        .lineTooLong("nginx responds with its own error if the header exceeds its buffer"),
        .headTooLarge("nginx responds with its own error if the header exceeds its buffer"),
        .tooManyFields("nginx responds with its own error if the header exceeds its buffer"),
        .reuse("nginx opens a connection for each request; NginxTLSTests count those to nginx"),
        .connectionClose("nginx opens a connection for each request"),
        .staleConnection("nginx opens a connection for each request"),
        .expectedContinue("nginx asks for the body itself"),
        .missingContinue("nginx asks for the body itself"),
        .refusedExpectation("nginx asks for the body itself"),
        .bytesAfterResponse("nginx drops the bytes"),
    ]

    static let overHTTP2: [TransportConformance.Case] = [
        .earlySuccess("nginx resets the stream of an upload after its response"),
        .earlySuccessOfFailingSource("nginx resets the stream of an upload after its response"),
        .earlySuccessOfShortSource("nginx resets the stream of an upload after its response"),
        .closingEarlySuccess("nginx resets the stream of an upload after its response"),
        .truncatedBody("libcurl drops a head that a reset follows immediately: closed, not truncated"),
        .maximumLength("libcurl drops a head that a reset follows immediately: closed, not truncated"),
        .missingLastChunk("libcurl drops a head that a reset follows immediately: closed, not truncated"),
        .metrics("the transport closes an HTTP/2 connection after an upload with libcurl 7.88 to 8.14"),
    ]
}
