import RequestsConformance
import RequestsCurl
import RequestsTesting
import Testing

/// Runs the suite with caddy in front of its servers, which adds HTTP/3.
@Suite(
    "Conformance over HTTP/3",
    .timeLimit(.minutes(15)),
    .serialized,
    .enabled(if: HTTP3.isTested, HTTP3.reason)
)
struct ConformanceOverHTTP3Tests {
    @Test("CurlTransport passes the conformance cases through caddy, over HTTP/3")
    func curl() async throws {
        let caddy = try #require(HTTP3.proxyURL)
        var configuration = CurlTransport.Configuration()
        configuration.httpVersion = .http3Only
        configuration.tls.authorities = .file(try #require(Nginx.authority))
        try await TransportConformance.run(
            excluding: NginxLimits.cases + CaddyLimits.cases,
            reaching: { caddy.appending(path: "to/\($0.port)") },
            makeTransport: { [configuration] in
                Saboteur(try CurlTransport(configuration: configuration)) { request, send in
                    let response = try await send(request)
                    if request.url.scheme == "https" { #expect(response.head.httpVersion == .http3) }
                    return response
                }
            }
        )
        .appendToResults(as: "libcurl, HTTP/3 through caddy")
    }
}

/// The cases in which caddy 2.6 responds instead of the server, repairs its response, or drops a part of a request.
/// `HTTP3Tests` and `HostileHTTP3Tests` test the transport with servers that speak HTTP/3 themselves.
enum CaddyLimits {
    static let cases: [TransportConformance.Case] = [
        .maximumLength("libcurl drops a head that is followed by a malformed body at once: malformed, not truncated"),
        .truncatedBody("libcurl drops a head that is followed by a malformed body at once: malformed, not truncated"),
        .resetInBody("libcurl drops a head that is followed by a malformed body at once: malformed, not truncated"),
        .connectionOfRefusal("the connections to the server are those of caddy"),
        .truncatedChunk("caddy ends the response without an error"),
        .missingLastChunk("caddy ends the response without an error"),
        .notHTTP("caddy responds with its own error"),
        .streamOfUnknownLength("caddy drops a body without a length"),
        .earlySuccess("caddy drops a body without a length"),
        .earlySuccessOfFailingSource("caddy drops a body without a length"),
        .earlySuccessOfShortSource("caddy drops a body without a length"),
        .earlyRefusalOfSlowSource("caddy drops a body without a length"),
        .closingEarlySuccess("caddy drops a body without a length"),
        .slowSourceIsNotIdle("caddy drops a body without a length"),
        .duplexEcho("caddy drops a body without a length"),
        .collectLimit("caddy doesn't tell the server that the client has gone"),
        .canceledWhileWaiting("caddy doesn't tell the server that the client has gone"),
        .canceledWhileReading("caddy doesn't tell the server that the client has gone"),
        .unknownHost("the URL is http"),
        .unknownAuthority("the server speaks TLS over TCP"),
        .serverWithoutTLS("the server speaks TCP"),
    ]
}
