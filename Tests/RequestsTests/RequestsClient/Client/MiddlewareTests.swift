import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Middleware of the library", .timeLimit(.minutes(5)))
struct MiddlewareTests {
    private let api = AnonymousRequestProvider("https://a.example")

    @Test("Requests beyond the rate wait for their turn, and the wait of a used-up quota is kept")
    func rateLimit() async throws {
        let clock = TestClock(isImmediate: true)
        let server = StubTransport(script: [
            .reply(200), .reply(200), .reply(200, header: ["RateLimit": "\"a\";r=0;t=60"]), .reply(200),
        ])
        let client = server.client(on: clock) {
            $0.exchangeMiddleware = [RateLimitMiddleware(RateLimiter(1, per: .seconds(10), burst: 1))]
        }
        for _ in 0..<4 { try await client.send(api.get(.none, from: "/")) }
        #expect(clock.sleeps == [.seconds(10), .seconds(10), .seconds(60)])
    }

    @Test("Exchange middleware receives the number of the attempt")
    func attempts() async throws {
        struct Counting: Middleware {
            let attempts: Recorder<Int>

            func intercept(
                _ request: PreparedRequest,
                context: CallContext,
                next: @escaping Next
            ) async throws -> Response<ResponseBody> {
                attempts.record(context.attempt)
                return try await next(request)
            }
        }
        let attempts = Recorder<Int>()
        let server = StubTransport(script: [.reply(503), .reply(503), .reply(200)])
        let client = server.client(on: TestClock(isImmediate: true)) {
            $0.retries = .fixed(.seconds(1), limit: 2)
            $0.exchangeMiddleware = [Counting(attempts: attempts)]
        }
        try await client.send(api.get(.none, from: "/"))
        #expect(attempts.recorded == [1, 2, 3])
    }

    @Test("A call continues the current trace or starts one, and keeps a context of its request")
    func trace() async throws {
        let parent = try #require(
            TraceContext(Header(["traceparent": "00-\(String(repeating: "a", count: 32))-bbbbbbbbbbbbbbbb-01"]))
        )
        let server = StubTransport { request in try .stub(200, for: request) }
        var configuration = Client.Configuration()
        configuration.middleware = [TraceMiddleware(random: { 0x0102_0304_0506_0708 }) { parent }]
        try await Client(transport: server, configuration: configuration).send(api.get(.none, from: "/"))
        configuration.middleware = [TraceMiddleware { nil }]
        let client = Client(transport: server, configuration: configuration)
        try await client.send(api.get(.none, from: "/"))
        try await client.send(api.get(.none, from: "/").setting(.traceParent, "own"))
        let sent = server.requests.map { $0.header[.traceParent] }
        #expect(sent[0]?.hasPrefix("00-\(parent.traceID)-") == true)
        #expect(sent[0]?.contains(parent.spanID) == false)
        #expect(TraceContext(server.requests[1].header) != nil)
        #expect(sent[2] == "own")
    }
}
