import Foundation
import RequestsConformance
import RequestsTesting
import Testing

@testable import RequestsCurl

/// Leaves room for several cases that hang: each ends with its own deadline, and the report names it.
@Suite("Conformance of each transport", .timeLimit(.minutes(15)), .serialized)
struct ConformanceTests {
    @Test("CurlTransport passes every conformance case", arguments: [true, false])
    func curl(waitsWithEpoll: Bool) async throws {
        var configuration = CurlTransport.Configuration()
        configuration.waitsWithEpoll = waitsWithEpoll
        let makeHTTP2Transport: @Sendable () throws -> any Transport = { [configuration] in
            try CurlTransport.withPriorKnowledge(configuration)
        }
        let report = try await TransportConformance.run(
            excluding: LibcurlLimits.cases,
            makeTLSTransport: { [configuration] in try CurlTransport(options: $0, configuration: configuration) },
            makeHTTP2Transport: LibcurlBuild.hasHTTP2 ? makeHTTP2Transport : nil,
            makeTransport: { [configuration] in try CurlTransport(configuration: configuration) }
        )
        try report.appendToResults(as: "libcurl, \(waitsWithEpoll ? "epoll" : "poll")")
        let remaining = report.outcomes.filter { $0.outcome != .passed }
        #expect(Set(remaining.map(\.case.name)) == LibcurlBuild.inapplicable.union(LibcurlLimits.names))
    }

    @Test("Each case has a topic in the documentation of the suite")
    func topics() throws {
        let tests = URL(filePath: #filePath).appending(path: "../../..").standardized
        let page = tests.appending(path: "RequestsConformance/RequestsConformance.docc/Case.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let names = TransportConformance.Case.all.map(\.name).filter { !$0.contains(".") }
        #expect(names.filter { !text.contains("- ``\($0)``\n") } == [])
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

    @Test("Transports ignore a netrc file", arguments: TransportKind.allCases.map(\.name))
    func netrc(name: String) async {
        await #expect(processExitsWith: .success) { [name] in
            let home = try Ambient.makeHomeWithCredentials()
            defer { try? FileManager.default.removeItem(at: home) }
            setenv("HOME", home.path(), 1)
            let transport = try #require(TransportKind.allCases.first { $0.name == name }).makeTransport()
            try await TransportConformance.run(cases: Ambient.cases) { transport }
        }
    }
}

enum Ambient {
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
