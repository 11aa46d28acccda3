import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Middleware of the library", .timeLimit(.minutes(5)))
struct MiddlewareTests {
    private let api = BaseURL("https://a.example")

    @Test("Requests beyond the rate wait for their turn")
    func rateLimit() async throws {
        let clock = TestClock(isImmediate: true)
        let server = StubTransport { try .stub(200, for: $0) }
        let client = server.client(on: clock) {
            $0.attemptMiddleware = [RateLimitMiddleware(RateLimiter(1, per: .seconds(10), burst: 1))]
        }
        for _ in 0..<3 { try await client.send(api.get(.none, from: "/")) }
        #expect(clock.sleeps == [.seconds(10), .seconds(10)])
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
            $0.attemptMiddleware = [Counting(attempts: attempts)]
        }
        try await client.send(api.get(.none, from: "/"))
        #expect(attempts.recorded == [1, 2, 3])
    }
}
