#if FullFoundation
import RequestsConformance
import RequestsTesting
import RequestsURLSession
import Testing

@testable import RequestsCurl

@Suite("Conformance of URLSession", .timeLimit(.minutes(15)), .serialized)
struct URLSessionConformanceTests {
    @Test("URLSessionTransport passes every conformance case that Foundation allows")
    func urlSession() async throws {
        try await TransportConformance.run(excluding: URLSessionLimits.cases) { URLSessionTransport() }
            .appendToResults(as: "URLSession")
    }

    @Test(
        "URLSessionTransport passes the conformance cases through nginx, over HTTP/1.1",
        .enabled(if: Nginx.tlsURL != nil, "REQUESTS_NGINX_TLS_URL is not set; scripts/test starts an nginx and sets it")
    )
    func throughNginx() async throws {
        let nginx = try #require(Nginx.baseURL)
        try await TransportConformance.run(
            excluding: NginxLimits.cases + URLSessionLimits.cases,
            reaching: { nginx.appending(path: "to/\($0.port)") },
            makeTransport: { URLSessionTransport() }
        )
        .appendToResults(as: "URLSession through nginx")
    }
}

/// The cases that URLSession can't pass, each with what happens instead.
enum URLSessionLimits {
    #if os(Linux)
    static let cases = documented + (LinkedLibcurl.lacksAuthorities ? withoutAuthorities : [])

    /// Foundation has no option for certificate authorities.
    private static let withoutAuthorities: [TransportConformance.Case] = [
        .unknownAuthority("the certificate authority file that libcurl was built with doesn't exist"),
        .serverWithoutTLS("the certificate authority file that libcurl was built with doesn't exist"),
    ]

    static let documented: [TransportConformance.Case] = [
        .trailers("a chunked response with a trailer crashes the process (fixed upstream after Swift 6.3.1)"),
        .truncatedHead(
            "a connection that closes within the header crashes the process (fixed upstream after Swift 6.3.1)"
        ),
        .maximumLength("a response with the largest length crashes the process"),
        .noReasonPhrase("Foundation rejects a status line without a reason phrase"),
        .whitespaceAroundValues("Foundation rejects a field without a space after its colon"),
        .latin1Value("Foundation rejects a value that isn't UTF-8"),
        .opaqueOctets("Foundation rejects a value that isn't UTF-8"),
        .bareLineFeeds("Foundation rejects lines that end with a bare line feed"),
        .bareCarriageReturns("Foundation accepts a carriage return in a status line"),
        .truncatedEncoding("libcurl, which decodes for Foundation, accepts a truncated encoded body"),
        .unknownEncoding("libcurl, which decodes for Foundation, rejects an unknown encoding"),
        .noAutomaticRetry("a POST over a reused connection that closes hangs until its idle timeout"),
        .refusedExpectation("libcurl repeats the request after 417"),
        .connectionOfRefusal("libcurl keeps the connection if the upload fits into the socket"),
        .staleConnection("a PUT over a reused connection that closes at that moment hangs until its idle timeout"),
    ]
    #else
    static let cases = documented
    static let documented: [TransportConformance.Case] = [.trailers("URLSession doesn't deliver trailers")]
    #endif
}
#endif
