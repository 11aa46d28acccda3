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
/// The trait's transport is stored in a task-local value, which detached tasks and a `URLSession`'s don't have.
/// For them, create the transport in the test or in a stored property of its suite, but not in a `static` one.
public struct TestTransport: Transport, EndsWithCall {
    @TaskLocal static var scope: TestScope?

    /// The test that created the transport. Used in tasks without a test.
    private let creator = TestTransport.scope

    private var current: TestScope? { TestTransport.scope ?? creator.flatMap { $0.hasEnded ? nil : $0 } }

    /// Creates a transport. Each request goes over the trait of the test that sends it, or that created the transport.
    public init() {}

    /// The stub of the running test. `nil` if the test has no `stubbed` trait.
    public static var stub: StubTransport? { scope?.transport as? StubTransport }

    /// The capabilities of the trait's transport. Empty outside a test with a trait.
    public var capabilities: TransportCapabilities { current?.transport.capabilities ?? [] }

    /// Sends a request over the trait's transport.
    ///
    /// - Throws: `TransportError.Code.unmatched` outside a test with a trait, and the errors of the transport.
    public func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        guard let scope = current else {
            throw TransportError(
                code: .unmatched,
                message:
                    "no transport for \(request): the test has no trait .stubbed or .cassette, or a detached task sent "
                    + "the request; add the trait, start the task with Task { }, or create the transport in the test",
                phase: .preparing
            )
        }
        return try await scope.send(request, context: context)
    }
}
