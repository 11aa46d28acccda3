import Foundation
import Requests
import RequestsClient
import RequestsConformance
import RequestsTesting
import RequestsURLSession
import Testing

@testable import RequestsCurl

/// Leaves room for several cases that hang: each ends with its own deadline, and the report names it.
@Suite("Conformance of each transport", .timeLimit(.minutes(15)), .serialized)
struct ConformanceTests {
    @Test("CurlTransport passes every conformance case", arguments: [true, false])
    func curl(waitsWithEpoll: Bool) async throws {
        var configuration = CurlTransport.Configuration()
        configuration.waitsWithEpoll = waitsWithEpoll
        let report = try await TransportConformance.run(
            excluding: LibcurlLimits.cases,
            makeTLSTransport: { [configuration] in try CurlTransport(options: $0, configuration: configuration) },
            makeHTTP2Transport: { [configuration] in try CurlTransport.withPriorKnowledge(configuration) },
            makeTransport: { [configuration] in try CurlTransport(configuration: configuration) }
        )
        try report.appendToResults(as: "libcurl, \(waitsWithEpoll ? "epoll" : "poll")")
        let remaining = report.outcomes.filter { $0.outcome != .passed }
        #expect(Set(remaining.map(\.case.name)) == LibcurlBuild.inapplicable.union(LibcurlLimits.names))
    }

    @Test("URLSessionTransport passes every conformance case that Foundation allows")
    func urlSession() async throws {
        try await TransportConformance.run(excluding: URLSessionLimits.cases) { URLSessionTransport() }
            .appendToResults(as: "URLSession")
    }

    @Test("StubTransport passes the conformance cases without a server")
    func stub() async throws {
        let cases: [TransportConformance.Case] = [
            .canceledBeforeSending, .invalidRequest, .unsupportedCachePolicy, .unsupportedMethods,
        ]
        try await TransportConformance.run(cases: cases) {
            StubTransport { try .stub(200, for: $0) }
        }
        .appendToResults(as: "stub")
    }
}

extension TransportConformance.Report {
    /// Appends the outcomes to the file for `scripts/conformance-table`, if there is one.
    func appendToResults(as transport: String) throws {
        guard let file = ProcessInfo.processInfo.environment["REQUESTS_CONFORMANCE_RESULTS"] else { return }
        try append(to: URL(filePath: file), as: transport)
    }
}

extension CurlTransport {
    init(options: TransportConformance.TLSOptions, configuration: Configuration = Configuration()) throws {
        var configuration = configuration
        configuration.tls.publicKeyPins = options.publicKeyPins
        if let authority = options.authority { configuration.tls.authorities = .file(authority) }
        try self.init(configuration: configuration)
    }

    /// A transport that speaks HTTP/2 with servers without TLS.
    static func withPriorKnowledge(_ configuration: Configuration = Configuration()) throws -> CurlTransport {
        var configuration = configuration
        configuration.httpVersion = .http2WithPriorKnowledge
        return try CurlTransport(configuration: configuration)
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
        .bareLineFeeds("Foundation rejects lines that end with a bare line feed"),
        .bareCarriageReturns("Foundation accepts a carriage return in a status line"),
        .truncatedEncoding("libcurl, which decodes for Foundation, accepts a truncated encoded body"),
        .unknownEncoding("libcurl, which decodes for Foundation, rejects an unknown encoding"),
        .noAutomaticRetry("a POST over a reused connection that closes hangs until its idle timeout"),
        .staleConnection("a PUT over a reused connection that closes at that moment hangs until its idle timeout"),
    ]
    #else
    static let cases = documented
    static let documented: [TransportConformance.Case] = [.trailers("URLSession doesn't deliver trailers")]
    #endif
}

#if os(Linux)
/// Runs each case that crashes in a separate process. If a test fails, Foundation was fixed, so remove the exclusion.
@Suite("Crashes of URLSession on Linux", .timeLimit(.minutes(5)))
struct URLSessionCrashTests {
    /// The end of a process in which Swift stops at a failed check, such as a `fatalError` of Foundation.
    private let swiftTrap: ExitTest.Condition = {
        #if arch(x86_64) || arch(i386)
        .signal(SIGILL)
        #else
        .signal(SIGTRAP)
        #endif
    }()

    @Test("A chunked response with a trailer still crashes URLSession on Linux")
    func trailer() async {
        await #expect(processExitsWith: swiftTrap) {
            _ = try? await TransportConformance.run(cases: [.trailers]) { URLSessionTransport() }
        }
    }

    @Test("A response with the largest length still crashes URLSession on Linux")
    func maximumLength() async {
        await #expect(processExitsWith: swiftTrap) {
            _ = try? await TransportConformance.run(cases: [.maximumLength]) { URLSessionTransport() }
        }
    }

    @Test("A connection that closes within the header still crashes URLSession on Linux")
    func truncatedHead() async {
        await #expect(processExitsWith: swiftTrap) {
            _ = try? await TransportConformance.run(cases: [.truncatedHead]) { URLSessionTransport() }
        }
    }
}
#endif

/// These tests change the environment, so they run in separate processes.
@Suite("Isolation from the environment", .timeLimit(.minutes(5)))
struct AmbientTests {
    @Test("CurlTransport ignores the proxy environment variables")
    func proxyVariables() async {
        await #expect(processExitsWith: .success) {
            Ambient.setProxyVariables()
            try await TransportConformance.run(cases: Ambient.cases) { try CurlTransport() }
        }
    }

    @Test("Transports ignore a netrc file", arguments: ["curl", "urlSession"])
    func netrc(kind: String) async {
        await #expect(processExitsWith: .success) { [kind] in
            let home = try Ambient.makeHomeWithCredentials()
            defer { try? FileManager.default.removeItem(at: home) }
            setenv("HOME", home.path(), 1)
            let transport = try #require(TransportKind(rawValue: kind)).makeTransport()
            try await TransportConformance.run(cases: Ambient.cases) { transport }
        }
    }

    #if os(Linux)
    @Test("URLSession on Linux uses the proxy environment variables, which Foundation can't turn off")
    func proxyVariablesOverURLSession() async {
        await #expect(processExitsWith: .failure) {
            Ambient.setProxyVariables()
            try await TransportConformance.run(cases: Ambient.cases) { URLSessionTransport() }
        }
    }
    #endif
}

private enum Ambient {
    static let cases: [TransportConformance.Case] = [.noAddedFields, .unmodifiedRequest]

    /// The proxy refuses connections, so a request that uses it fails.
    static func setProxyVariables() {
        for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] { setenv(name, "http://127.0.0.1:9", 1) }
    }

    static func makeHomeWithCredentials() throws -> URL {
        let home = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try Data("default login ambient password secret\n".utf8).write(to: home.appending(path: ".netrc"))
        return home
    }
}
