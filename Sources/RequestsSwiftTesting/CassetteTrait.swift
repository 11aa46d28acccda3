import RequestsClient
import RequestsTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A trait that gives each test a cassette. ``TestTransport`` sends over it.
public struct CassetteTrait: TestTrait, SuiteTrait, TestScoping {
    let use: @Sendable (_ body: @Sendable (Cassette) async throws -> Void) async throws -> Void

    /// Whether the trait applies to the tests of a suite. Each test opens the cassette.
    public var isRecursive: Bool { true }

    /// Runs a test with the cassette.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await use { cassette in try await TestScope(cassette).run(test, testCase, function) }
    }
}

extension Trait where Self == CassetteTrait {
    /// Gives each test a cassette, as `Cassette.use` opens it.
    ///
    /// The environment variable `REQUESTS_CASSETTES` decides the mode. If the test fails, the messages are attached to
    /// it, without credentials.
    ///
    /// - Parameters:
    ///   - name: The name of the file without `.har`.
    ///   - transport: The transport for recording. Default: `nil`, to replay only.
    ///   - folder: The folder of the file. Default: `Cassettes`, next to the source file.
    ///   - criteria: The properties that a request and a recorded one must have in common.
    ///   - secrets: The rules for secrets.
    ///   - repeats: Whether a recorded response can be replayed more than once.
    ///   - age: The maximum age of a recording.
    ///   - environment: The variables. Default: the process's variables.
    ///   - source: The source file.
    public static func cassette(
        _ name: String,
        over transport: (any Transport)? = nil,
        in folder: URL? = nil,
        matching criteria: [Cassette.Criterion] = [.method, .url, .body],
        secrets: Cassette.Secrets = Cassette.Secrets(),
        repeats: Bool = false,
        expires age: Duration? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        source: String = #filePath
    ) -> Self {
        CassetteTrait { body in
            try await Cassette.use(
                name,
                over: transport,
                in: folder,
                matching: criteria,
                secrets: secrets,
                repeats: repeats,
                expires: age,
                environment: environment,
                source: source,
                body
            )
        }
    }
}
