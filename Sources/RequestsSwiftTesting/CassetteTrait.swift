import Requests
import RequestsClient
import RequestsTesting
import Testing

/// A trait that opens a cassette for each test. ``TestTransport`` sends requests over it.
public struct CassetteTrait: TestTrait, SuiteTrait, TestScoping {
    let use: @Sendable (_ test: Test, _ body: @Sendable (Cassette) async throws -> Void) async throws -> Void

    /// Always `true`: on a suite, the trait applies to each of its tests, which all open the cassette separately.
    public var isRecursive: Bool { true }

    /// Runs a test with the cassette.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await use(test) { cassette in try await TestScope(cassette).run(test, testCase, function) }
    }
}

extension Trait where Self == CassetteTrait {
    /// Opens a cassette for each test in the same way as `Cassette.use`.
    ///
    /// The environment variable `REQUESTS_CASSETTES` decides the mode. If the test fails, its requests and responses
    /// are attached to it without credentials.
    ///
    /// - Parameters:
    ///   - name: The name of the file without `.har`. A file belongs to one test and one case of it, so recording it
    ///     again in the same process throws. Default: `nil`, which means the names of the suite and the test, such as
    ///     `UserTests-load`, so that a suite can have one trait for all its tests.
    ///   - transport: The transport for recording. Default: `nil`, which allows replaying only.
    ///   - folder: The folder of the file. Default: `Cassettes`, next to the source file.
    ///   - criteria: The properties that must be equal in a sent and a recorded request. Default: method, URL and body.
    ///   - secrets: The rules for secrets. Default: `Secrets()`, which redacts credentials.
    ///   - repeats: Whether a recorded response can be replayed more than once. Default: `false`.
    ///   - age: The maximum age of a recording. Older ones throw or are recorded again. Default: `nil`, no limit.
    ///   - environment: The environment variables. Default: those of the process.
    ///   - source: The path of the calling source file, from which the folder's default follows.
    public static func cassette(
        _ name: String? = nil,
        over transport: (any Transport)? = nil,
        in folder: URL? = nil,
        matching criteria: [Cassette.Criterion] = [.method, .url, .body],
        secrets: Cassette.Secrets = Cassette.Secrets(),
        repeats: Bool = false,
        expires age: Duration? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        source: String = #filePath
    ) -> Self {
        CassetteTrait { test, body in
            try await Cassette.use(
                name ?? test.fileName,
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

extension Test {
    /// The names of the suites and the function, such as `UserTests-load`, without characters that a file system may
    /// reject.
    fileprivate var fileName: String {
        id.nameComponents.map { name in
            let words = name.prefix { $0 != "(" }.split { !($0.isLetter || $0.isNumber || $0 == "_") }
            return words.joined(separator: "_")
        }
        .joined(separator: "-")
    }
}
