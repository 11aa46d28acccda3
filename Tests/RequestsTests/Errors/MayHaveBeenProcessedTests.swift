import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Whether the server may have acted", .timeLimit(.minutes(5)))
struct MayHaveBeenProcessedTests {
    private struct Script: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let replies: [StubTransport.Reply]
        var method = HTTPMethod.post
        var retries = RetryPolicy.fixed(.zero, limit: 1)
        let isClaimed: Bool
        let requests: Int
    }

    private static let scripts = [
        Script(
            testDescription: "refused",
            replies: [.failure(.cannotConnect), .failure(.cannotConnect)],
            isClaimed: false,
            requests: 2
        ),
        Script(testDescription: "closed", replies: [.failure(.closed)], isClaimed: true, requests: 1),
        Script(
            testDescription: "PUT: closed, then refused",
            replies: [.failure(.closed), .failure(.cannotConnect)],
            method: .put,
            isClaimed: true,
            requests: 2
        ),
        Script(
            testDescription: "307, then refused, which is retried",
            replies: [
                .reply(307, header: [Field(name: .location, value: "/b")]), .failure(.cannotConnect),
                .failure(.cannotConnect),
            ],
            isClaimed: true,
            requests: 3
        ),
        Script(
            testDescription: "a status that proves that nothing was done, then refused",
            replies: [.reply(429), .failure(.cannotConnect)],
            retries: {
                var policy = RetryPolicy.fixed(.zero, limit: 1)
                policy.unprocessedStatuses = [429]
                return policy
            }(),
            isClaimed: false,
            requests: 2
        ),
    ]

    private func client(_ transport: some Transport, _ retries: RetryPolicy = .never) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = TestClock(isImmediate: true)
        configuration.retries = retries
        return Client(transport: transport, configuration: configuration)
    }

    @Test("An error reports what all requests of the call may have done", arguments: scripts)
    private func claims(script: Script) async throws {
        let stub = StubTransport(script: script.replies)
        let request = BaseURL("https://a.example").request(to: "/", using: script.method)
        let error = await #expect(throws: TransportError.self) {
            try await client(stub, script.retries).send(request)
        }
        #expect(error?.requestMayHaveBeenProcessed == script.isClaimed)
        #expect(stub.requests.count == script.requests)
    }

    @Test("A token that never came says nothing about the request, which wasn't sent")
    func tokens() async throws {
        let stub = StubTransport { try .stub(200, for: $0) }
        let provider = AuthenticationProvider.asynchronous { _ in
            throw TransportError(code: .closed, message: "the token's server", phase: .receiving)
        }
        let request = BaseURL("https://a.example").delete("/").authenticated(with: provider)
        let error = await #expect(throws: TransportError.self) { try await client(stub).send(request) }
        #expect(error?.requestMayHaveBeenProcessed == false)
        #expect(stub.requests.isEmpty)
    }

    @Test("A total timeout that ends a request in middleware reports that it was sent", arguments: [true, false])
    func total(isSent: Bool) async throws {
        struct Stuck: Middleware {
            let isSent: Bool
            let clock: TestClock

            func intercept(
                _ request: PreparedRequest,
                context: CallContext,
                next: @escaping Next
            ) async throws -> Response<ResponseBody> {
                if isSent { _ = try await next(request) }
                try await clock.waitForSleepers()
                clock.advance(by: .seconds(5))
                // Ignores cancellation.
                await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
                return try await next(request)
            }
        }
        let clock = TestClock()
        var client = client(StubTransport { try .stub(200, for: $0) })
        client.configuration.clock = clock
        client.configuration.timeouts.total = .seconds(5)
        client.configuration.middleware = [Stuck(isSent: isSent, clock: clock)]
        let post = BaseURL("https://a.example").post(.text("x"), to: "/")
        let error = await #expect(throws: TransportError.self) { try await client.send(post) }
        #expect(error?.code == .timedOut(.total))
        #expect(error?.requestMayHaveBeenProcessed == isSent)
    }
}
