import RequestsTesting
import Testing

/// A trait that gives each test a stub. ``TestTransport`` sends over it.
public struct StubTrait: TestTrait, SuiteTrait, TestScoping {
    let routes: [StubTransport.Route]
    let verifies: Bool

    /// Whether the trait applies to the tests of a suite. Each test has its own stub.
    public var isRecursive: Bool { true }

    /// Runs a test with the stub.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let stub = StubTransport(routes: routes)
        try await TestScope(stub).run(test, testCase, function) { [verifies] in
            guard verifies else { return }
            do {
                try stub.verify()
            } catch {
                Issue.record(error, sourceLocation: test.sourceLocation)
            }
        }
    }
}

extension Trait where Self == StubTrait {
    /// Gives each test a stub with routes.
    ///
    /// If the test fails, the messages are attached to it, without credentials.
    ///
    /// - Parameters:
    ///   - routes: The routes. The first match is used.
    ///   - verifies: Whether the test fails if a route wasn't called as expected, or a request had no route. Default:
    ///     `true`.
    public static func stubbed(_ routes: StubTransport.Route..., verifies: Bool = true) -> Self {
        stubbed(routes, verifies: verifies)
    }

    /// Gives each test a stub with a list of routes, such as a constant that several tests share.
    public static func stubbed(_ routes: [StubTransport.Route], verifies: Bool = true) -> Self {
        StubTrait(routes: routes, verifies: verifies)
    }
}
