import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Retry budget", .timeLimit(.minutes(5)))
struct RetryBudgetTests {
    private let api = BaseURL("https://a.example")
    private let clock = TestClock(isImmediate: true)

    private func attempts(_ budget: RetryBudget?, requests: Int) async -> Int {
        let server = StubTransport { request in try .stub(503, for: request) }
        let client = server.client(on: clock) {
            $0.retries = .fixed(.seconds(1), limit: 3)
            $0.retryBudget = budget
        }
        for _ in 0..<requests { _ = await client.result(of: api.get(.none, from: "/")) }
        return server.requests.count
    }

    @Test("A failing server gets the reserve and then a share of retries")
    func share() async {
        #expect(await attempts(nil, requests: 100) == 400)
        #expect(await attempts(RetryBudget(share: 0.25, reserve: 10), requests: 100) == 134)
        #expect(await attempts(RetryBudget(share: 0, reserve: 0), requests: 10) == 10)
    }

    @Test("Clients that share a budget share its limit, and successful requests fill it again")
    func shared() async {
        let budget = RetryBudget(share: 0.5, reserve: 2)
        #expect(await attempts(budget, requests: 1) == 3)
        #expect(await attempts(budget, requests: 1) == 1)
        let client = StubTransport { request in try .stub(200, for: request) }.client(on: clock) {
            $0.retries = .fixed(.seconds(1), limit: 3)
            $0.retryBudget = budget
        }
        for _ in 0..<10 { _ = await client.result(of: api.get(.none, from: "/")) }
        #expect(await attempts(budget, requests: 1) == 3)
    }
}
