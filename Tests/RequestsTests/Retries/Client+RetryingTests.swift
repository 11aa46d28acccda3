import Foundation
import Requests
import RequestsClient
import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Retries of a client", .timeLimit(.minutes(5)))
struct ClientRetryingTests {
    private let api = BaseURL("https://a.example")
    private let clock = TestClock(isImmediate: true)
    private let sent = Recorder<PreparedRequest>()

    /// Responds with one status after the other, and fails if there is none.
    private func client(
        _ statuses: [Int?],
        clock: TestClock? = nil,
        configure: (inout Client.Configuration) -> Void = { $0.retries = .fixed(.seconds(1)) }
    ) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = clock ?? self.clock
        configure(&configuration)
        let transport = StubTransport { [sent] request in
            sent.record(request)
            guard let status = statuses[sent.count - 1] else {
                throw TransportError(code: .closed, message: "number \(sent.count)", phase: .sending)
            }
            return try .stub(status, body: Data("number \(sent.count)".utf8), for: request)
        }
        return Client(transport: transport, configuration: configuration)
    }

    @Test("The caller gets the first response that isn't retried")
    func succeeds() async throws {
        #expect(try await client([503, nil, 200]).send(api.get(.text, from: "/")) == "number 3")
        #expect(clock.sleeps == [.seconds(1), .seconds(1)])
        #expect(Set(sent.recorded.map(\.description)).count == 1)
    }

    @Test("The request's observer receives the events of each attempt")
    func observer() async throws {
        let observed = Recorder<Int>()
        let clock = clock
        let transport = StubTransport { request in
            switch observed.count {
            case 1: return try .stub(503, for: request)
            case 2: return try .stub(307, header: [Field(name: "Location", value: "/moved")], for: request)
            default: return try .stub(200, for: request)
            }
        }
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.retries = .fixed(.seconds(1))
        let request = api.put(.text("x"), to: "/").observing { event in
            if case .sent = event { observed.record(observed.count) }
        }
        try await Client(transport: transport, configuration: configuration).send(request)
        #expect(observed.recorded == [0, 1, 2])
    }

    @Test("The caller gets the last response if no retry is left")
    func noRetryLeft() async throws {
        let error = await #expect(throws: ResponseError.self) {
            try await client([nil, 500, 502, 503]).send(api.delete("/"))
        }
        #expect(error?.head.statusCode == 503)
        #expect(error?.data == Data("number 4".utf8))
        #expect(sent.count == 4)
    }

    @Test("The caller gets the last error and the number of attempts if no retry is left")
    func lastError() async throws {
        let error = await #expect(throws: TransportError.self) {
            try await client([503, nil, nil, nil]).send(api.delete("/"))
        }
        #expect(error?.message == "number 4, after 4 attempts")
    }

    @Test(
        "The last error says whether the server may have processed any attempt",
        arguments: [
            (Named("truncated, no connection", [.failure(.truncated), .failure(.cannotConnect)]), true),
            (Named("503, no connection", [.reply(503), .failure(.cannotConnect)]), true),
            (
                Named(
                    "closed, no address, no connection",
                    [.failure(.closed), .failure(.nameNotResolved), .failure(.cannotConnect)]
                ), true
            ),
            (Named("no address, no connection", [.failure(.nameNotResolved), .failure(.cannotConnect)]), false),
        ] as [(Named<[StubTransport.Reply]>, Bool)]
    )
    func processed(replies: Named<[StubTransport.Reply]>, mayHaveBeen: Bool) async {
        let script = replies.value
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.retries = .fixed(.seconds(1), limit: script.count - 1)
        let client = Client(transport: StubTransport(script: script), configuration: configuration)
        let error = await #expect(throws: TransportError.self) { try await client.send(api.put(.text("x"), to: "/")) }
        #expect(error?.code == .cannotConnect)
        #expect(error?.phase == .connecting)
        #expect(error?.requestMayHaveBeenProcessed == mayHaveBeen)
        #expect(error?.description.hasPrefix("cannotConnect: ") == true)
    }

    @Test("A body that breaks off is retried, with any status, unless it is streamed")
    func body() async throws {
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.zero, limit: 1)
        configuration.redirects = .never
        let broken = StubTransport.Reply.reply(200, chunks: [Data("num".utf8)], failure: .truncated)
        func client(_ script: StubTransport.Reply...) -> Client {
            Client(transport: StubTransport(script: script), configuration: configuration)
        }
        #expect(try await client(broken, .reply(200, text: "number 2")).send(api.get(.text, from: "/")) == "number 2")
        await #expect(throws: TransportError.self) { try await client(broken, broken).send(api.get(.text, from: "/")) }
        await #expect(throws: TransportError.self) {
            try await client(broken, .reply(200)).send(api.post(.text("a"), to: "/").receiving(.text))
        }
        let refusal = StubTransport.Reply.reply(404, chunks: [Data("a".utf8)], failure: .truncated)
        #expect(try await client(refusal, .reply(200, text: "ok")).send(api.get(.text, from: "/")) == "ok")
        let streamed = try await client(broken, .reply(200)).stream(api.get(.text, from: "/"))
        await #expect(throws: TransportError.self) { try await streamed.content.collect(upTo: 100) }
    }

    @Test("The condition is asked about each head, and about a failure after it", arguments: [200, 503])
    func condition(status: Int) async throws {
        let asked = Recorder<String>()
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.retries = .fixed(.zero, limit: 3).retrying { outcome, _ in
            switch outcome {
            case .response(let head): asked.record("\(head.statusCode)")
            case .failure(let error): asked.record("\((error as? TransportError)?.code.rawValue ?? "other")")
            }
            return asked.recorded != ["200"] && asked.recorded.last != "204"
        }
        let broken = StubTransport.Reply.reply(status, chunks: [Data("num".utf8)], failure: .truncated)
        let script = StubTransport(script: [broken, .reply(status, text: "whole"), .reply(204)])
        let client = Client(transport: script, configuration: configuration)
        _ = await client.result(of: api.get(.text, from: "/"))
        #expect(asked.recorded == (status == 200 ? ["200", "truncated"] : ["503"]) + ["\(status)", "204"])
    }

    @Test("A request that fails with 417 because of its Expect field is sent again without it")
    func expectation() async throws {
        let request = api.put(.text("a"), to: "/").adding(headerField: Field(name: "Expect", value: "100-continue"))
        let body = try? await client([417, 200]).send(request.receiving(.text))
        #expect(body == "number 2")
        #expect(sent.recorded.map { $0.header["Expect"] } == ["100-continue", nil])
    }

    @Test("By default nothing is retried")
    func byDefault() async throws {
        #expect(try await client([503]) { _ in }.stream(api.delete("/")).head.statusCode == 503)
        #expect(sent.count == 1)
    }

    @Test("The request's policy replaces the client's")
    func perRequest() async throws {
        #expect(try await client([503]).stream(api.delete("/").retrying(.never)).head.statusCode == 503)
        let second = client([503, 503, 200]) { _ in }
        #expect(try await second.stream(api.delete("/").retrying(.fixed(.zero))).head.statusCode == 200)
    }

    @Test("A random number is drawn for each wait")
    func jitter() async throws {
        let numbers = Recorder<Void>()
        let client = client([503, 503, 200]) {
            $0.retries = .exponential(initial: .seconds(8), maximum: .seconds(12))
            $0.random = {
                numbers.record()
                return 0.25 * Double(numbers.count)
            }
        }
        try await client.send(api.delete("/"))
        #expect(clock.sleeps == [.seconds(2), .seconds(6)])
    }

    @Test("The date comes from the configuration")
    func date() async throws {
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.retries = .fixed(.seconds(1), limit: 1)
        configuration.date = { Date(timeIntervalSince1970: 784_111_777) }
        let transport = StubTransport { request in
            let header: Header = [Field(name: "Retry-After", value: "Sun, 06 Nov 1994 08:49:47 GMT")]
            return try .stub(503, header: header, for: request)
        }
        _ = try await Client(transport: transport, configuration: configuration).stream(api.delete("/"))
        #expect(clock.sleeps == [.seconds(10)])
    }

    @Test("An unneeded body is read or canceled before the next attempt")
    func discards() async throws {
        let events = Recorder<String>()
        let transport = StubTransport { request in
            events.record("sent")
            guard !events.recorded.contains("given up") else { return try .stub(200, for: request) }
            let body = AsyncStream<Data> { $0.yield(Data(count: 100_000)) }
            return Response(
                head: try ResponseHead(statusCode: 503, url: request.url),
                content: ResponseBody(body, onCancel: { events.record("given up") })
            )
        }
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.retries = .fixed(.zero)
        try await Client(transport: transport, configuration: configuration).send(api.delete("/"))
        #expect(events.recorded == ["sent", "given up", "sent"])
    }

    @Test("Canceling ends the wait at once")
    func canceled() async throws {
        let clock = TestClock()
        let client = client([503, 200], clock: clock)
        let task = Task { try await client.send(api.delete("/")) }
        try await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(sent.count == 1)
    }

    @Test("Authentication runs for each attempt")
    func authentication() async throws {
        let runs = Recorder<Void>()
        let provider = AuthenticationProvider { header in
            runs.record()
            header.set(.authorization("\(runs.count)"))
        }
        try await client([503, nil, 200]).send(api.delete("/").authenticated(with: provider))
        #expect(sent.recorded.map { $0.header[.authorization] } == ["1", "2", "3"])
    }
}
