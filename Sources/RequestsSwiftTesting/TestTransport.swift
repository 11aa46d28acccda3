import Requests
import RequestsClient
import RequestsTesting

/// A transport that sends over the stub or the cassette of the running test's trait.
///
/// ```swift
/// @Test(.stubbed(.get("/users/{id}", .reply(200, jsonText: #"{"id": 7}"#))))
/// func user() async throws {
///     let user = try await Client(transport: TestTransport()).send(api.user(7))
///     #expect(user.id == 7)
/// }
/// ```
///
/// The trait's transport is stored in a task-local value, so detached tasks can't find it.
public struct TestTransport: Transport {
    @TaskLocal static var scope: TestScope?

    /// Creates a transport that any test can use. Each request goes over the trait of the test that sends it.
    public init() {}

    /// The stub of the running test. `nil` if the test has no `stubbed` trait.
    public static var stub: StubTransport? { scope?.transport as? StubTransport }

    /// The capabilities of the trait's transport. Empty outside a test with a trait.
    public var capabilities: TransportCapabilities { TestTransport.scope?.transport.capabilities ?? [] }

    /// Sends a request over the trait's transport.
    ///
    /// - Throws: `TransportError.Code.unmatched` outside a test with a trait, and the errors of the transport.
    public func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        guard let scope = TestTransport.scope else {
            throw TransportError(
                code: .unmatched,
                message:
                    "no transport for \(request): the test has no trait .stubbed or .cassette, or a detached task sent "
                    + "the request; add the trait, or start the task with Task { }",
                phase: .preparing
            )
        }
        return try await scope.send(request, context: context)
    }
}
