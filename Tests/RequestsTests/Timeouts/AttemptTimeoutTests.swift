import RequestsTesting
import Testing

@Suite("The timeout of an attempt", .timeLimit(.minutes(5)))
struct AttemptTimeoutTests {
    @Test("An attempt that hangs is retried, and the call's total timeout isn't used up")
    func retried() async throws {
        let clock = TestClock(isImmediate: true)
        let stub = StubTransport(
            script: [Reply.reply(200).delayed(by: .seconds(60)), .reply(200, text: "ok")],
            clock: clock
        )
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.timeouts = Timeouts(attempt: .seconds(2), total: .seconds(10))
        configuration.retries = .fixed(.seconds(1), limit: 1)
        let client = Client(transport: stub, configuration: configuration)
        #expect(try await client.send(.get(.text, from: "https://a.example/")) == "ok")
        #expect(stub.requests.count == 2)
    }

    @Test("Without retries, the error names the attempt's timeout")
    func message() async throws {
        let clock = TestClock(isImmediate: true)
        let stub = StubTransport(script: [Reply.reply(200).delayed(by: .seconds(60))], clock: clock)
        let request = BaseURL("https://a.example").get(.text, from: "/").timeouts(attempt: .seconds(2))
        let error = await #expect(throws: TransportError.self) { try await Client(transport: stub).send(request) }
        #expect(error?.code == .timedOut(.attempt))
        #expect(error?.isTimeout == true)
        #expect(error?.message.contains("the attempt timeout of 2.0 seconds was reached (timeouts.attempt)") == true)
    }

    @Test("An attempt includes the body of its response")
    func body() async throws {
        let clock = TestClock(isImmediate: true)
        let chunks = Array(repeating: Data([1]), count: 10)
        let stub = StubTransport(script: [.reply(200, chunks: chunks, every: .seconds(1))], clock: clock)
        let request = BaseURL("https://a.example").get(.data, from: "/").timeouts(attempt: .seconds(5))
        let error = await #expect(throws: TransportError.self) { try await Client(transport: stub).send(request) }
        #expect(error?.code == .timedOut(.attempt))
    }

    private typealias Reply = StubTransport.Reply
}
