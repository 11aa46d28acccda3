import RequestsTesting
import Testing

@Suite("Fault plans", .timeLimit(.minutes(5)))
struct FaultPlanTests {
    private let stub = StubTransport(routes: [.any("/**", .reply(200, text: String(repeating: "abcd", count: 25)))])

    private func get(_ url: String, over transport: any Transport, timeouts: Timeouts = Timeouts()) async -> String {
        do {
            let options = CallOptions(timeouts: timeouts)
            let request = try PreparedRequest(url: RequestURL(url), options: options)
            let response = try await transport.send(request)
            do {
                let body = try await response.content.collect(upTo: 1000)
                return "\(response.head.statusCode) \(body.count)"
            } catch let error as TransportError {
                return "\(response.head.statusCode) \(error.code) \(error.phase)"
            }
        } catch {
            let error = error as? TransportError
            return "\(error?.code.rawValue ?? "?") \(error?.phase.rawValue ?? "?")"
        }
    }

    @Test("one seed gives the same faults every time, also if requests run concurrently")
    func repeatable() async {
        @Sendable func run() async -> ([String], [String]) {
            let faulty = FaultPlan(seed: 42, clock: TestClock(isImmediate: true)).applied(to: stub)
            let outcomes = await withTaskGroup(of: (Int, String).self) { group in
                for index in 0..<40 { group.addTask { (index, await get("https://h/\(index)", over: faulty)) } }
                return await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
            }
            return ((0..<40).compactMap { outcomes[$0] }, faulty.faults.sorted())
        }
        let (outcomes, faults) = await run()
        #expect(Set(outcomes).count > 3)
        for _ in 0..<100 {
            let (again, sameFaults) = await run()
            #expect(again == outcomes)
            #expect(sameFaults == faults)
        }
    }

    @Test("another seed gives other faults, and a repeated request isn't always hit")
    func seeds() async {
        func faults(_ seed: UInt64) async -> [String] {
            let faulty = FaultPlan(seed: seed, clock: TestClock(isImmediate: true)).applied(to: stub)
            var outcomes: [String] = []
            for _ in 0..<50 { outcomes.append(await get("https://h/a", over: faulty)) }
            return outcomes
        }
        let first = await faults(1)
        #expect(first != (await faults(2)))
        #expect(first.contains("200 100"))
        #expect(first.contains { $0 != "200 100" })
    }

    @Test(
        "each fault looks as it does on a real transport",
        arguments: [
            (.refused, "cannotConnect connecting", 0), (.closedBeforeHead, "closed sending", 1),
            (.closedInHead, "closed receiving", 1), (.closedAfterHead, "200 truncated receiving", 1),
            (.truncated, "200 truncated receiving", 1), (.garbage, "malformed receiving", 1),
            (.drip(bytes: 7, every: .milliseconds(5)), "200 100", 1), (.status(502, count: 1), "502 0", 0),
        ] as [(FaultPlan.Fault, String, Int)]
    )
    func kinds(_ fault: FaultPlan.Fault, _ outcome: String, _ sent: Int) async {
        let clock = TestClock(isImmediate: true)
        let faulty = FaultPlan(seed: 1, faults: [fault: 1], clock: clock).applied(to: stub)
        #expect(await get("https://h/a", over: faulty) == outcome)
        #expect(stub.requests.count == sent)
        #expect(faulty.faults.count == 1)
        if case .drip = fault { #expect(clock.sleeps.count == 15) }
    }

    @Test("a burst covers the next requests with the same URL only")
    func bursts() async {
        let plan = FaultPlan(seed: 3, faults: [.status(503, count: 3): 0.1])
        let faulty = plan.applied(to: stub)
        var statuses: [String] = []
        for _ in 0..<200 { statuses.append(await get("https://h/a", over: faulty)) }
        let lengths = statuses.split(separator: "200 100").map(\.count)
        #expect(!lengths.isEmpty)
        #expect(lengths.dropLast().allSatisfy { $0 >= 3 })
    }

    @Test("delays are fixed or log-normal, and run on the plan's clock")
    func delays() async {
        let clock = TestClock(isImmediate: true)
        let fixed = FaultPlan(seed: 1, faults: [:], delay: .fixed(.seconds(2)), clock: clock).applied(to: stub)
        #expect(await get("https://h/a", over: fixed) == "200 100")
        #expect(clock.sleeps == [.seconds(2)])
        let random = TestClock(isImmediate: true)
        let delay = FaultPlan.Delay.logNormal(median: .milliseconds(100), sigma: 0.5)
        let faulty = FaultPlan(seed: 1, faults: [:], delay: delay, clock: random).applied(to: stub)
        for index in 0..<1000 { _ = await get("https://h/\(index)", over: faulty) }
        let sorted = random.sleeps.sorted()
        #expect((90...110).contains(sorted[500] / .milliseconds(1)))
        #expect((200...270).contains(sorted[950] / .milliseconds(1)))
    }

    @Test("the timeouts of a request cover the delay and the drip")
    func timeouts() async {
        let clock = TestClock(isImmediate: true)
        let slow = FaultPlan(seed: 1, faults: [:], delay: .fixed(.seconds(90)), clock: clock).applied(to: stub)
        #expect(await get("https://h/a", over: slow) == "timedOut(idle) sending")
        let drip = FaultPlan(seed: 1, faults: [.drip(bytes: 1, every: .seconds(1)): 1], clock: clock).applied(to: stub)
        let limited = Timeouts(total: .seconds(10))
        #expect(await get("https://h/a", over: drip, timeouts: limited) == "200 timedOut(total) receiving")
    }

    @Test("a client with retries gets through the faults of a plan")
    func retries() async throws {
        let clock = TestClock(isImmediate: true)
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.retries = .exponential(limit: 8)
        let faulty = FaultPlan(seed: 9, clock: clock).applied(to: stub)
        let client = Client(transport: faulty, configuration: configuration)
        let api = BaseURL("https://h")
        for index in 0..<50 {
            let text = try? await client.send(api.get(.text, from: "/\(index)"))
            #expect(text == nil || text?.count == 100)
        }
        #expect(!faulty.faults.isEmpty)
    }
}
