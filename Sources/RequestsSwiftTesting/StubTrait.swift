import RequestsTesting
import Testing

/// A trait that creates a stub for each test. ``TestTransport`` sends requests over it.
public struct StubTrait: TestTrait, SuiteTrait, TestScoping {
    let routes: [StubTransport.Route]
    let verifies: Bool

    /// Always `true`: on a suite, the trait applies to each of its tests, which all get their own stub.
    public var isRecursive: Bool { true }

    /// Runs a test with the stub.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // The suite's stub gives up its routes, so that it doesn't verify them.
        let suite = TestTransport.stub
        let inherited = suite?.routes.map { $0.optional() } ?? []
        suite?.routes = []
        let stub = StubTransport(routes: routes + inherited)
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
    /// Creates a stub with routes for each test.
    ///
    /// If a suite has routes, too, the test's routes come first, and the test needn't call the suite's. If the test
    /// fails, its requests and responses are attached to it without credentials.
    ///
    /// - Parameters:
    ///   - routes: The routes. The first one that matches is used.
    ///   - verifies: Whether the test fails if a route wasn't called as expected, or a request had no route. Default:
    ///     `true`.
    public static func stubbed(_ routes: StubTransport.Route..., verifies: Bool = true) -> Self {
        stubbed(routes, verifies: verifies)
    }

    /// Creates a stub for each test from an array of routes, such as a constant that several tests share.
    public static func stubbed(_ routes: [StubTransport.Route], verifies: Bool = true) -> Self {
        StubTrait(routes: routes, verifies: verifies)
    }
}
