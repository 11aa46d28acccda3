import RequestsTesting
import Testing

@Suite("Progress", .timeLimit(.minutes(5)))
struct ProgressTests {
    /// Reports 1,000 bytes of an upload, 10 milliseconds apart.
    private struct Uploading: Transport {
        let clock: TestClock
        let total: Int64?
        let capabilities: TransportCapabilities = [.streamedRequestBodies]

        func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
            for sent in stride(from: Int64(10), through: 1000, by: 10) {
                context.observer?(.sent(bytes: sent, total: total))
                clock.advance(by: .milliseconds(10))
            }
            context.observer?(.requestSent)
            return try .stub(200, for: request)
        }
    }

    private func client(_ clock: TestClock, total: Int64?) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = clock
        return Client(transport: Uploading(clock: clock, total: total), configuration: configuration)
    }

    @Test("An upload reports at most ten times a second, and its end", arguments: [1000, nil] as [Int64?])
    func upload(total: Int64?) async throws {
        let reports = Recorder<Int64>()
        let events = Recorder<Void>()
        let request = BaseURL("https://a.example").put(.raw(data: Data(count: 1000)), to: "/photo").observing { _ in
            events.record()
        }
        try await client(TestClock(), total: total).send(request) { sent, all in
            #expect(all == total)
            reports.record(sent)
        }
        #expect(reports.recorded == Array(stride(from: 10, through: 910, by: 100)) + [1000])
        #expect(events.count == 101, "an observer gets every event")
    }

    @Test("With an interval of zero, every step is reported")
    func everyStep() async throws {
        let reports = Recorder<Int64>()
        var client = client(TestClock(), total: 1000)
        client.configuration.progressInterval = .zero
        _ = try await client.response(for: BaseURL("https://a.example").delete("/")) { sent, _ in reports.record(sent) }
        #expect(reports.count == 100)
    }
}
