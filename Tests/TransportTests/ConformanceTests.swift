import Foundation
import Requests
import RequestsTesting
import RequestsURLSession
import Testing

@testable import RequestsCurl

/// The time limit leaves room for several cases that hang: each ends with its own deadline, and the report names it.
@Suite("Each transport does what every transport must", .timeLimit(.minutes(15)), .serialized)
struct ConformanceTests {
    @Test("CurlTransport, without exclusions", arguments: [true, false])
    func curl(waitsWithEpoll: Bool) async throws {
        var configuration = CurlTransport.Configuration()
        configuration.waitsWithEpoll = waitsWithEpoll
        let report = try await TransportConformance.run(
            makeTLSTransport: { [configuration] in try CurlTransport(options: $0, configuration: configuration) },
            makeTransport: { [configuration] in try CurlTransport(configuration: configuration) }
        )
        try report.appendToResults(as: "libcurl, \(waitsWithEpoll ? "epoll" : "poll")")
        let remaining = report.outcomes.filter { $0.outcome != .passed }
        #expect(Set(remaining.map(\.case.name)) == LibcurlBuild.inapplicable)
    }

    @Test("URLSessionTransport, as far as Foundation lets it")
    func urlSession() async throws {
        try await TransportConformance.run(excluding: URLSessionLimits.cases) { URLSessionTransport() }
            .appendToResults(as: "URLSession")
    }

    @Test("StubTransport, in the cases that need no server")
    func stub() async throws {
        let cases: [TransportConformance.Case] = [
            .cancelledBefore, .invalidRequest, .unsupportedCachePolicy, .unsupportedMethods,
        ]
        try await TransportConformance.run(cases: cases) {
            StubTransport { try .stub(200, for: $0) }
        }
        .appendToResults(as: "stub")
    }
}

extension TransportConformance.Report {
    /// Appends the outcomes to the file of `scripts/conformance-table`, where there is to be one.
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
}

/// What URLSession can't do, with what happens instead.
enum URLSessionLimits {
    #if os(Linux)
    static let cases = documented + (LinkedLibcurl.lacksAuthorities ? withoutAuthorities : [])

    /// Foundation has no option for certificate authorities.
    private static let withoutAuthorities: [TransportConformance.Case] = [
        .unknownAuthority("the file of certificate authorities that libcurl was built with doesn't exist"),
        .serverWithoutTLS("the file of certificate authorities that libcurl was built with doesn't exist"),
    ]

    static let documented: [TransportConformance.Case] = [
        .trailers("a chunked reply with a trailer ends the process (mended upstream after Swift 6.3.1)"),
        .cutInsideHead("a connection cut inside the head ends the process (mended upstream after Swift 6.3.1)"),
        .largestLength("a reply of the largest length ends the process"),
        .noReasonPhrase("a status line without a reason phrase is malformed to Foundation"),
        .whitespaceAroundValues("a field without a space after its colon is malformed to Foundation"),
        .latin1Value("a value that is not UTF-8 is malformed to Foundation"),
        .bareLineFeeds("lines that end with a line feed alone are malformed to Foundation"),
        .truncatedCoding("libcurl, which decodes for Foundation, takes a coded body that ends early for a whole one"),
        .unknownCoding("libcurl, which decodes for Foundation, ends the exchange over a coding that it does not know"),
        .noRepetition("a POST over a kept connection that closes hangs until its idle timeout"),
        .staleConnection("a PUT over a kept connection that closes at that moment hangs until its idle timeout"),
    ]
    #else
    static let cases = documented
    static let documented: [TransportConformance.Case] = [.trailers("URLSession does not deliver trailers")]
    #endif
}

#if os(Linux)
/// Each exclusion that ends the process, in a process of its own: when one of these fails, Foundation was mended and
/// the exclusion can go.
@Suite("What ends a process that uses URLSession on Linux", .timeLimit(.minutes(5)))
struct URLSessionCrashTests {
    @Test("a chunked reply with a trailer")
    func trailer() async {
        await #expect(processExitsWith: .failure) {
            _ = try? await TransportConformance.run(cases: [.trailers]) { URLSessionTransport() }
        }
    }

    @Test("a reply of the largest length")
    func largestLength() async {
        await #expect(processExitsWith: .failure) {
            _ = try? await TransportConformance.run(cases: [.largestLength]) { URLSessionTransport() }
        }
    }

    @Test("a connection cut inside the head")
    func cutInsideHead() async {
        await #expect(processExitsWith: .failure) {
            _ = try? await TransportConformance.run(cases: [.cutInsideHead]) { URLSessionTransport() }
        }
    }
}
#endif

/// What a process's surroundings could add to a request: in processes of their own, whose environment can be changed.
@Suite("Nothing ambient is read", .timeLimit(.minutes(5)))
struct AmbientTests {
    @Test("proxy variables change nothing, over libcurl")
    func proxyVariables() async {
        await #expect(processExitsWith: .success) {
            Ambient.setProxyVariables()
            try await TransportConformance.run(cases: Ambient.cases) { try CurlTransport() }
        }
    }

    @Test("a netrc file changes nothing", arguments: ["curl", "urlSession"])
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
    @Test("URLSession on Linux uses the proxy variables: Foundation has no way to forbid it")
    func proxyVariablesOverURLSession() async {
        await #expect(processExitsWith: .failure) {
            Ambient.setProxyVariables()
            try await TransportConformance.run(cases: Ambient.cases) { URLSessionTransport() }
        }
    }
    #endif
}

private enum Ambient {
    static let cases: [TransportConformance.Case] = [.nothingIsAdded, .requestAsItWasBuilt]

    /// Nobody listens at the proxy: an exchange that goes by way of it fails.
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
