import Foundation
import Requests
import RequestsCurl
import RequestsTesting
import RequestsURLSession
import Testing

/// The servers of the suite with an nginx in front of them: the same requests and replies, in the words of another
/// implementation and over TLS and HTTP/2.
@Suite(
    "Each transport does what every transport must, through nginx",
    .timeLimit(.minutes(15)),
    .serialized,
    .enabled(if: Nginx.tlsURL != nil, "REQUESTS_NGINX_TLS_URL is not set; scripts/test starts an nginx and sets it")
)
struct ConformanceThroughNginxTests {
    @Test("CurlTransport, over TLS and HTTP/2")
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

    @Test("URLSessionTransport, over HTTP/1.1")
    func urlSession() async throws {
        let nginx = try #require(Nginx.baseURL)
        try await TransportConformance.run(
            excluding: NginxLimits.cases + URLSessionLimits.cases,
            reaching: { nginx.appending(path: "to/\($0.port)") },
            makeTransport: { URLSessionTransport() }
        )
        .appendToResults(as: "URLSession through nginx")
    }
}

/// The cases that are not about a well-behaved server: nginx answers in its place, or mends what it says.
private enum NginxLimits {
    static let cases: [TransportConformance.Case] = [
        .informationalHeads("nginx takes the first head for the response"),
        .lengthAndChunked("nginx answers for a server that does so"),
        .unaskedTransferCodings("nginx answers for a server that does so"),
        .conflictingLengths("nginx answers for a server that does so"),
        .invalidFields("nginx answers for a server that does so"),
        .invalidLengths("nginx answers for a server that does so"),
        .invalidChunkSize("nginx hangs up where the server is wrong"),
        .trailers("nginx drops them"),
        .cutInsideHead("nginx answers for a server that is gone"),
        .closedWithoutAnswer("nginx answers for a server that is gone"),
        .resetWithoutAnswer("nginx answers for a server that is gone"),
        .noRepetition("nginx answers for a server that is gone"),
        .refusedUpload("nginx answers for a server that is gone"),
        .refusedConnection("nginx answers for a server that is gone"),
        .connectTimeout("it is nginx that waits for the connection"),
        .cancelledWhileConnecting("it is nginx that waits for the connection"),
        .repeatedFields("nginx puts fields in another order"),
        .foldedField("nginx drops the field"),
        .lineTooLong("nginx answers for a server whose head is larger than its buffer"),
        .headTooLarge("nginx answers for a server whose head is larger than its buffer"),
        .tooManyFields("nginx answers for a server whose head is larger than its buffer"),
        .reuse("nginx makes a connection for each exchange; NginxTLSTests count those to nginx"),
        .closeIsHonoured("nginx makes a connection for each exchange"),
        .staleConnection("nginx makes a connection for each exchange"),
        .bytesAfterTheEnd("nginx drops them"),
    ]

    static let overHTTP2: [TransportConformance.Case] = [
        .truncatedLength("libcurl takes a head that its reset follows at once for none: closed, not truncated"),
        .largestLength("libcurl takes a head that its reset follows at once for none: closed, not truncated"),
        .missingLastChunk("libcurl takes a head that its reset follows at once for none: closed, not truncated"),
    ]
}
