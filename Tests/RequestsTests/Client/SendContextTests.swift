import RequestsTesting
import Testing

@Suite("What belongs to one attempt", .timeLimit(.minutes(5)))
struct SendContextTests {
    private let api = BaseURL("https://a.example")
    private let clock = TestClock(isImmediate: true)

    private func client(_ transport: any Transport) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.timeouts.total = .seconds(10)
        configuration.retries = .fixed(.seconds(3), limit: 2)
        return Client(transport: transport, configuration: configuration)
    }

    @Test("Requests of one call are equal although time passes between them")
    func equality() async throws {
        let stub = StubTransport(script: [.reply(503), .reply(503), .reply(200)])
        try await client(stub).send(api.delete("/"))
        #expect(clock.sleeps == [.seconds(3), .seconds(3)])
        #expect(stub.requests.count == 3)
        #expect(stub.requests.allSatisfy { $0 == stub.requests[0] })
    }

    /// Removes the observer from each request.
    private struct Silencing: Transport {
        let base: any Transport

        var capabilities: TransportCapabilities { base.capabilities }

        func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
            var request = request
            request.options.observer = nil
            return try await base.send(request, context: context)
        }
    }

    @Test("The observer of a request reaches the transport by the context")
    func observer() async throws {
        let statuses = Recorder<Int>()
        let stub = StubTransport(script: [.reply(503).preceded(by: 103), .reply(200)])
        let request = api.delete("/").observing { event in
            switch event {
            case .informational(let head), .head(let head): statuses.record(head.statusCode)
            default: break
            }
        }
        try await client(Silencing(base: stub)).send(request)
        #expect(statuses.recorded == [103, 503, 200])
    }
}
