import RequestsTesting
import Testing

@Suite("Bodies that aren't needed", .timeLimit(.minutes(5)))
struct ResponseDiscardingTests {
    /// The reason why a client sends a request again.
    enum Reason: Int, CaseIterable {
        case redirect = 302
        case challenge = 401
        case retry = 503
    }

    private struct Again: AuthenticationFlow {
        var request: PreparedRequest?

        mutating func start(_ request: inout PreparedRequest) { self.request = request }

        mutating func next(after head: ResponseHead) -> AuthenticationProvider.Step {
            head.statusCode == 401 ? request.map { .sendAgain($0) } ?? .done : .done
        }
    }

    private let api = BaseURL("https://a.example")
    private let clock = TestClock()
    private let events = Recorder<String>()

    /// - Parameter body: The body of the first response. The second has none.
    private func client(
        _ reason: Reason,
        length: Int? = nil,
        body: @escaping @Sendable (Recorder<String>) -> ResponseBody
    ) -> Client {
        var configuration = Client.Configuration()
        configuration.drainingClock = clock
        configuration.retries = .fixed(.zero)
        configuration.authenticate("https://a.example", with: AuthenticationProvider { Again() })
        let transport = StubTransport { [events] request in
            events.record("sent")
            guard events.count == 1 else { return try .stub(200, for: request) }
            var fields = [Field(name: .location, value: "/2")]
            if let length { fields.append(Field(name: .contentLength, value: "\(length)")) }
            let head = try ResponseHead(statusCode: reason.rawValue, header: Header(fields), url: request.url)
            return Response(head: head, content: body(events))
        }
        return Client(transport: transport, configuration: configuration)
    }

    @Sendable private static func endless(_ events: Recorder<String>) -> ResponseBody {
        ResponseBody(AsyncStream { $0.yield(Data(count: 10)) }, onCancel: { events.record("given up") })
    }

    /// The wait before a retry is 0.
    private var waits: [Duration] { clock.sleeps.filter { $0 > .zero } }

    @Test("An unneeded body is waited for for a short time and then canceled", arguments: Reason.allCases)
    func endless(reason: Reason) async throws {
        let client = client(reason, body: Self.endless)
        let task = Task { try await client.send(api.get(.none, from: "/1")) }
        try await clock.waitForSleepers()
        clock.advance(by: .milliseconds(249))
        #expect(events.recorded == ["sent"])
        clock.advance(by: .milliseconds(1))
        try await task.value
        #expect(events.recorded == ["sent", "given up", "sent"])
        #expect(waits == [.milliseconds(250)])
    }

    @Test("An unneeded body that has arrived isn't waited for", arguments: Reason.allCases)
    func complete(reason: Reason) async throws {
        try await client(reason) { _ in ResponseBody(Data(count: 10)) }.send(api.get(.none, from: "/1"))
        #expect(events.recorded == ["sent", "sent"])
        #expect(waits.isEmpty)
    }

    @Test("An unneeded body that ends in time is read", arguments: Reason.allCases)
    func inTime(reason: Reason) async throws {
        let (chunks, chunk) = AsyncStream.makeStream(of: Data.self)
        let client = client(reason, length: 64 << 10) { events in
            ResponseBody(chunks, onCancel: { events.record("given up") })
        }
        let task = Task { try await client.send(api.get(.none, from: "/1")) }
        try await clock.waitForSleepers()
        chunk.yield(Data(count: 64 << 10))
        chunk.finish()
        try await task.value
        #expect(events.recorded == ["sent", "sent"])
        #expect(clock.sleeperCount == 0)
    }

    @Test("An unneeded body longer than 64 KiB is canceled at once", arguments: Reason.allCases)
    func long(reason: Reason) async throws {
        try await client(reason, length: 64 << 10 + 1, body: Self.endless).send(api.get(.none, from: "/1"))
        #expect(events.recorded == ["sent", "given up", "sent"])
        #expect(waits.isEmpty)
    }

    @Test("An unneeded body is canceled with its call", arguments: Reason.allCases)
    func canceled(reason: Reason) async throws {
        let client = client(reason, body: Self.endless)
        let task = Task { try await client.send(api.get(.none, from: "/1")) }
        try await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(events.recorded == ["sent", "given up"])
        #expect(clock.sleeperCount == 0)
    }
}
