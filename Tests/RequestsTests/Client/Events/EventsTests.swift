import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("The events of a client", .timeLimit(.minutes(1)))
struct EventsTests {
    private let clock = TestClock(isImmediate: true)
    private let api = AnonymousRequestProvider("https://a.example")

    private func client(
        _ transport: StubTransport,
        configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.random = { 0.5 }
        configure(&configuration)
        return Client(transport: transport, configuration: configuration)
    }

    @Test("ask for a stream of events that no cache keeps")
    func header() async {
        let server = StubTransport(script: [.events("data:a\n\n"), .reply(204)])
        let request = api.get(.none, from: "/e").with(header: [.accept(.json), Field(name: "X", value: "y")])
        let (events, error) = await client(server).events(for: request.authenticated(with: .bearerToken("t")))
            .elements()
        #expect(events == [ServerSentEvent(data: "a")])
        #expect(error == nil)
        #expect(
            server.requests.map(\.header)
                == Array(
                    repeating: [
                        .accept(MediaType(type: "text", subtype: "event-stream")), Field(name: "X", value: "y"),
                        Field(name: .cacheControl, value: "no-store"), .authorization("Bearer t"),
                    ],
                    count: 2
                )
        )
    }

    @Test("go on after the last one, in a new connection after the stream's `retry`")
    func reconnects() async {
        let server = StubTransport(script: [
            .events("data:a\n\n"),
            .events("id:1\ndata:b\n\nid:2\n\nid:3\ndata:never"),
            .events("retry:500\n\ndata:c\n\n"),
            .events("id\n\nretry:9"),
            .events(""),
            .reply(204),
        ])
        let (events, error) = await client(server).events(for: api.get(.none, from: "/e")).elements()
        #expect(
            events == [
                ServerSentEvent(data: "a"), ServerSentEvent(data: "b", id: "1"),
                ServerSentEvent(data: "c", id: "2", retry: .milliseconds(500)),
            ]
        )
        #expect(error == nil)
        #expect(server.requests.map { $0.header["Last-Event-ID"] } == [nil, nil, "2", "2", nil, nil])
        let half = Duration.milliseconds(500)
        #expect(clock.sleeps == [.seconds(3), .seconds(3), half, half, half])
    }

    @Test(
        "go on where they are told to, or where the request says",
        arguments: [(nil, nil), ("7", nil), (nil, "8"), ("7", "8"), ("7", "")] as [(String?, String?)]
    )
    func lastEventID(field: String?, parameter: String?) async {
        let server = StubTransport(script: [.events("data:a\n\n"), .reply(204)])
        let header = Header(field.map { [Field(name: "Last-Event-ID", value: $0)] } ?? [])
        let id = parameter ?? field ?? ""
        let events = client(server).events(for: api.get(.none, from: "/e").with(header: header), lastEventID: parameter)
        #expect(await events.elements().elements.map(\.id) == [id])
        #expect(server.requests.map { $0.header["Last-Event-ID"] ?? "" } == [id, id])
    }

    @Test("wait longer from one failed attempt to the next, and not any more after one that did not fail")
    func backoff() async {
        let server = StubTransport(script: [
            .failure(.cannotConnect), .failure(.timedOut(.connect)), .reply(503), .reply(429),
            .events("retry:1000\ndata:a\n\n", failure: .truncated), .failure(.closed),
            .events("data:b\n\n", failure: .timedOut(.idle)), .reply(204),
        ])
        let events = client(server).events(
            for: api.get(.none, from: "/e"),
            retries: .exponential(limit: 4, initial: .seconds(2), maximum: .seconds(10))
        )
        let (elements, error) = await events.elements()
        #expect(elements.map(\.data) == ["a", "b"])
        #expect(error == nil)
        // 3 seconds, later 1 second, and half of 2, 4, 8, 10.
        #expect(
            clock.sleeps == [.seconds(4), .seconds(5), .seconds(7), .seconds(8), .seconds(2), .seconds(3), .seconds(2)]
        )
    }

    @Test("wait for as long as `Retry-After` says, on top of the stream's `retry`")
    func retryAfter() async {
        let server = StubTransport(script: [
            .reply(503, header: [Field(name: "Retry-After", value: "20")]), .reply(204),
        ])
        #expect(await client(server).events(for: api.get(.none, from: "/e")).elements().error == nil)
        #expect(clock.sleeps == [.seconds(23)])
    }

    @Test("end with the last error when too many attempts in a row have failed")
    func limit() async {
        let server = StubTransport(script: [
            .failure(.cannotConnect), .events("data:a\n\n"), .failure(.cannotConnect), .failure(.closed), .reply(500),
        ])
        let (events, error) = await client(server).events(
            for: api.get(.none, from: "/e"),
            retries: .fixed(.zero, limit: 2)
        ).elements()
        #expect(events.map(\.data) == ["a"])
        #expect((error as? ResponseError)?.code == .status)
        #expect((error as? ResponseError)?.head.statusCode == 500)
        #expect(server.requests.count == 5)
    }

    @Test("have ten attempts by default, whatever the retries of the client")
    func defaultLimit() async {
        let server = StubTransport(script: Array(repeating: .failure(.cannotConnect), count: 20))
        let client = client(server) { $0.retries = .fixed(.zero, limit: 100) }
        let (_, error) = await client.events(for: api.get(.none, from: "/e")).elements()
        #expect((error as? TransportError)?.code == .cannotConnect)
        #expect(server.requests.count == 11)
        // 3 seconds, and half of 1, 2, 4, …, 60.
        #expect(clock.sleeps.map { $0 / .seconds(1) } == [3.5, 4, 5, 7, 11, 19, 33, 33, 33, 33])
    }

    @Test(
        "end with an error at once",
        arguments: [
            (.reply(404), .status, "https://a.example/e answered 404 (0 bytes)"),
            (.reply(401), .status, "https://a.example/e answered 401 (0 bytes)"),
            (.reply(501), .status, "https://a.example/e answered 501 (0 bytes)"),
            (.reply(206, header: [.eventStream]), .status, "https://a.example/e answered 206 (0 bytes)"),
            (
                .reply(200, header: [.contentType(.html)]), .contentType,
                "https://a.example/e answered with “text/html; charset=utf-8”, not with text/event-stream"
            ),
            (
                .reply(200, header: [Field(name: .contentType, value: "text/event-streams")]), .contentType,
                "https://a.example/e answered with “text/event-streams”, not with text/event-stream"
            ),
            (
                .reply(200), .contentType,
                "https://a.example/e answered with no Content-Type, not with text/event-stream"
            ),
        ] as [(StubTransport.Reply, ResponseError.Code, String)]
    )
    func refused(answer: StubTransport.Reply, code: ResponseError.Code, message: String) async {
        let server = StubTransport(script: [answer, .events("data:a\n\n")])
        let (events, error) = await client(server).events(for: api.get(.none, from: "/e")).elements()
        #expect(events == [])
        #expect((error as? ResponseError)?.code == code)
        #expect((error as? ResponseError)?.message == message)
        #expect(server.requests.count == 1)
        #expect(clock.sleeps == [])
    }

    @Test(
        "come of `text/event-stream` in any case, with any parameters",
        arguments: ["text/event-stream", "Text/Event-Stream;charset=utf-8", "text/event-stream ; a=\"b;c\""]
    )
    func contentType(type: String) async {
        let server = StubTransport(script: [.reply(200, header: [Field(name: .contentType, value: type)]), .reply(204)])
        #expect(await client(server).events(for: api.get(.none, from: "/e")).elements().error == nil)
    }

    @Test(
        "end with errors that another connection would end with too",
        arguments: [.tlsUntrusted, .timedOut(.total), .decoding] as [TransportError.Code]
    )
    func permanent(code: TransportError.Code) async {
        for answer in [StubTransport.Reply.failure(code), .events("", failure: code)] {
            let server = StubTransport(script: [answer, .events("data:a\n\n")])
            let (events, error) = await client(server).events(for: api.get(.none, from: "/e")).elements()
            #expect(events == [])
            #expect((error as? TransportError)?.code == code)
        }
        #expect(clock.sleeps == [])
    }

    @Test("have a limit, which ends them")
    func tooLarge() async {
        let server = StubTransport(script: [.events("data:1234\n\ndata:12345\n\n"), .events("data:a\n\n")])
        let (events, error) = await client(server).events(for: api.get(.none, from: "/e"), upTo: 9).elements()
        #expect(events.map(\.data) == ["1234"])
        #expect((error as? TransportError)?.code == .tooLarge)
        #expect(server.requests.count == 1)
    }

    @Test("of a request that must not be made twice end with its response")
    func once() async {
        let post = api.post(.text("x"), to: "/e")
        let server = StubTransport(script: [.failure(.cannotConnect), .events("data:a\n\n"), .reply(204)])
        let (events, error) = await client(server).events(for: post).elements()
        #expect(events.map(\.data) == ["a"])
        #expect(error == nil)
        #expect(server.requests.count == 2)
    }

    @Test("of a request that must not be made twice break with its response")
    func brokenOnce() async {
        let server = StubTransport(script: [.events("data:a\n\n", failure: .truncated), .events("data:b\n\n")])
        let (events, error) = await client(server).events(for: api.post(.text("x"), to: "/e")).elements()
        #expect(events.map(\.data) == ["a"])
        #expect((error as? TransportError)?.code == .truncated)
        #expect(server.requests.count == 1)
    }

    @Test("of a request with a key against being made twice go on")
    func keyed() async {
        let server = StubTransport(script: [.events("data:a\n\n"), .events("data:b\n\n"), .reply(204)])
        let request = api.post(.text("x"), to: "/e").adding(headerField: Field(name: "Idempotency-Key", value: "k"))
        #expect(await client(server).events(for: request).elements().elements.map(\.data) == ["a", "b"])
    }

    @Test("come over one connection without retries")
    func never() async {
        let server = StubTransport(script: [.events("data:a\n\n"), .events("data:b\n\n")])
        let (events, error) = await client(server).events(for: api.get(.none, from: "/e"), retries: .never).elements()
        #expect(events.map(\.data) == ["a"])
        #expect(error == nil)
    }

    @Test("of a request that cannot be built are an error, and nothing is sent")
    func unbuildable() async {
        let server = StubTransport(script: [])
        let error = await client(server).events(for: api.get(.none, from: "/a/../b")).elements().error
        #expect(error is InvalidRequestURLError || error is RequestError)
        #expect(server.requests.isEmpty)
    }

    @Test("are asked for when they are wanted, and anew for each reading")
    func anew() async throws {
        let server = StubTransport(script: [.events("data:a\n\n"), .reply(204), .events("data:b\n\n"), .reply(204)])
        let events = client(server).events(for: api.get(.none, from: "/e"))
        #expect(server.requests.isEmpty)
        #expect(await events.elements().elements.map(\.data) == ["a"])
        #expect(await events.elements().elements.map(\.data) == ["b"])
    }
}
