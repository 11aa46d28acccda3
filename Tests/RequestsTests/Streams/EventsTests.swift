import Requests
import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Events of a client", .timeLimit(.minutes(5)))
struct EventsTests {
    private let clock = TestClock(isImmediate: true)
    private let api = BaseURL("https://a.example")

    @Test("The request asks for an event stream and for no caching")
    func header() async {
        let server = StubTransport(script: [.events("data:a\n\n"), .reply(204)])
        let request = api.get(.none, from: "/e").with(header: [.accept(.json), Field(name: "X", value: "y")])
        let (events, error) = await server.client(on: clock).events(for: request.authenticated(with: .bearerToken("t")))
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

    @Test("Events continue after the last one, in a new connection after the stream's `retry`")
    func reconnects() async {
        let server = StubTransport(script: [
            .events("data:a\n\n"),
            .events("id:1\ndata:b\n\nid:2\n\nid:3\ndata:never"),
            .events("retry:500\n\ndata:c\n\n"),
            .events("id\n\nretry:9"),
            .events(""),
            .reply(204),
        ])
        let (events, error) = await server.client(on: clock).events(for: api.get(.none, from: "/e")).elements()
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
        "Events start after a given identifier, or after the request's",
        arguments: [(nil, nil), ("7", nil), (nil, "8"), ("7", "8"), ("7", "")] as [(String?, String?)]
    )
    func lastEventID(field: String?, parameter: String?) async {
        let server = StubTransport(script: [.events("data:a\n\n"), .reply(204)])
        let header = Header(field.map { [Field(name: "Last-Event-ID", value: $0)] } ?? [])
        let id = parameter ?? field ?? ""
        let events = server.client(on: clock).events(
            for: api.get(.none, from: "/e").with(header: header),
            lastEventID: parameter
        )
        #expect(await events.elements().elements.map(\.id) == [id])
        #expect(server.requests.map { $0.header["Last-Event-ID"] ?? "" } == [id, id])
    }

    @Test("Each iteration sends its own requests, and only on demand")
    func eachIteration() async throws {
        let server = StubTransport(script: [.events("data:a\n\n"), .reply(204), .events("data:b\n\n"), .reply(204)])
        let events = server.client(on: clock).events(for: api.get(.none, from: "/e"))
        #expect(server.requests.isEmpty)
        #expect(await events.elements().elements.map(\.data) == ["a"])
        #expect(await events.elements().elements.map(\.data) == ["b"])
    }

    @Test(
        "An identifier that can't be sent isn't, and the stream goes on",
        arguments: ["a\u{1}b", "\u{7F}", "\u{1B}[31m", SampleText(String(repeating: "a", count: 900 << 10))]
    )
    func unsendableID(id: SampleText) async {
        let server = StubTransport(script: [.events("id:\(id.text)\ndata:a\n\n"), .events("data:b\n\n"), .reply(204)])
        let (events, error) = await server.client(on: clock).events(for: api.get(.none, from: "/e")).elements()
        #expect(events.map(\.data) == ["a", "b"])
        #expect(error == nil)
        #expect(server.requests.map { $0.header["Last-Event-ID"] } == [nil, nil, nil])
    }

    @Test("A wait that a server asks for is limited to an hour")
    func longRetry() async {
        let server = StubTransport(script: [.events("retry: 99999999999\ndata:a\n\n"), .reply(204)])
        _ = await server.client(on: clock).events(for: api.get(.none, from: "/e")).elements()
        #expect(clock.sleeps == [.seconds(3600)])
    }

    // MARK: Waits between connections for events

    @Test("The wait grows with each failed attempt, and is reset by a successful one")
    func backoff() async {
        let server = StubTransport(script: [
            .failure(.cannotConnect), .failure(.timedOut(.connect)), .reply(503), .reply(429),
            .events("retry:1000\ndata:a\n\n", failure: .truncated), .failure(.closed),
            .events("data:b\n\n", failure: .timedOut(.idle)), .reply(204),
        ])
        let events = server.client(on: clock).events(
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

    @Test("Failed connections take from the client's retry budget, and ended ones don't")
    func budget() async {
        let server = StubTransport(script: [
            .events("data:a\n\n"), .events("data:b\n\n"), .failure(.closed), .failure(.cannotConnect), .reply(204),
        ])
        let client = server.client(on: clock) { $0.retryBudget = RetryBudget(share: 0, reserve: 1) }
        let (elements, error) = await client.events(for: api.get(.none, from: "/e")).elements()
        #expect(elements.map(\.data) == ["a", "b"])
        #expect((error as? TransportError)?.code == .cannotConnect)
        #expect(server.requests.count == 4)
    }

    @Test("The request is built once for each connection")
    func builds() async {
        let server = StubTransport(script: [.events("data:a\n\n"), .failure(.closed), .reply(204)])
        let built = Recorder<Void>()
        let body = BodyProvider { _ in
            built.record(())
            return .data(Data())
        }
        let request = api.put(body, to: "/e")
        let (_, error) = await server.client(on: clock).events(for: request).elements()
        #expect(error == nil)
        #expect(server.requests.count == 3)
        #expect(built.count == 3)
    }

    @Test("A head without an event is a failure like any other, so a server that breaks after it isn't asked for ever")
    func heads() async {
        let server = StubTransport(script: [
            .events("", failure: .truncated), .events(": comment\n\n", failure: .truncated),
            .events("", failure: .truncated),
        ])
        let events = server.client(on: clock).events(for: api.get(.none, from: "/e"), retries: .fixed(.zero, limit: 2))
        let (elements, error) = await events.elements()
        #expect(elements.isEmpty)
        #expect((error as? TransportError)?.code == .truncated)
        #expect(server.requests.count == 3)
    }

    @Test("All connections of an idempotent POST have one Idempotency-Key", arguments: [true, false])
    func key(isOfClient: Bool) async {
        let server = StubTransport(script: [.events("data:a\n\n"), .failure(.closed), .reply(204)])
        let client = server.client(on: clock) { if isOfClient { $0.isIdempotent = true } }
        let post = api.post(.text("x"), to: "/e")
        let events = client.events(for: isOfClient ? post : post.idempotent())
        #expect(await events.elements().error == nil)
        let keys = server.requests.map { $0.header[.idempotencyKey] }
        #expect(keys.count == 3)
        #expect(Set(keys).count == 1 && keys[0] != nil)
    }

    @Test("The minimum wait applies even if a stream asks for less")
    func shortest() async {
        let server = StubTransport(script: [
            .events("retry:0\n\n"), .events(""), .events("retry:99\n\n", failure: .closed), .events("retry:125\n\n"),
            .reply(204),
        ])
        let events = server.client(on: clock).events(for: api.get(.none, from: "/e"), retries: .fixed(.zero, limit: 1))
        let (elements, error) = await events.elements()
        #expect(elements.isEmpty)
        #expect(error == nil)
        #expect(clock.sleeps == [100, 100, 100, 125].map { .milliseconds($0) })
    }

    @Test("The wait is `Retry-After` in addition to the stream's `retry`")
    func retryAfter() async {
        let server = StubTransport(script: [
            .reply(503, header: [Field(name: "Retry-After", value: "20")]), .reply(204),
        ])
        #expect(await server.client(on: clock).events(for: api.get(.none, from: "/e")).elements().error == nil)
        #expect(clock.sleeps == [.seconds(23)])
    }

    @Test("Too many failures in a row throw the last error")
    func limit() async {
        let server = StubTransport(script: [
            .failure(.cannotConnect), .events("data:a\n\n"), .failure(.cannotConnect), .failure(.closed), .reply(500),
        ])
        let (events, error) = await server.client(on: clock).events(
            for: api.get(.none, from: "/e"),
            retries: .fixed(.zero, limit: 2)
        ).elements()
        #expect(events.map(\.data) == ["a"])
        #expect((error as? ResponseError)?.code == .status)
        #expect((error as? ResponseError)?.head.statusCode == 500)
        #expect(server.requests.count == 5)
    }

    @Test("By default there are ten retries, whatever the client's policy")
    func defaultLimit() async {
        let server = StubTransport(script: Array(repeating: .failure(.cannotConnect), count: 20))
        let client = server.client(on: clock) { $0.retries = .fixed(.zero, limit: 100) }
        let (_, error) = await client.events(for: api.get(.none, from: "/e")).elements()
        #expect((error as? TransportError)?.code == .cannotConnect)
        #expect(server.requests.count == 11)
        // 3 seconds, and half of 1, 2, 4, …, 60.
        #expect(clock.sleeps.map { $0 / .seconds(1) } == [3.5, 4, 5, 7, 11, 19, 33, 33, 33, 33])
    }

    // MARK: The end of events

    @Test(
        "Events end with an error that names the stub's route when its replies are used",
        arguments: [
            StubTransport.Route.get("/e", .events("data:a\n\n")).once(),
            .get("/e", .events("data:a\n\n"), then: .events("")),
        ]
    )
    func usedRoute(_ route: StubTransport.Route) async {
        let server = StubTransport(routes: [route])
        let (events, error) = await server.client(on: clock).events(for: api.get(.none, from: "/e")).elements()
        #expect(events == [ServerSentEvent(data: "a")])
        #expect((error as? TransportError)?.code == .unmatched)
        #expect("\(error.map { "\($0)" } ?? "")".contains("of GET /e"))
    }

    @Test(
        "An unexpected status or Content-Type throws without another attempt",
        arguments: [
            (.reply(404), .status, "https://a.example/e returned 404 (0 bytes)."),
            (.reply(401), .status, "https://a.example/e returned 401 (0 bytes)."),
            (.reply(501), .status, "https://a.example/e returned 501 (0 bytes)."),
            (
                .reply(206, header: [.eventStream]), .status,
                "https://a.example/e returned 206 instead of 200. Its body wasn't read."
            ),
            (
                .reply(200, header: [.contentType(.html)]), .contentType,
                "https://a.example/e returned “text/html” instead of text/event-stream."
            ),
            (
                .reply(200, header: [Field(name: .contentType, value: "text/event-streams")]), .contentType,
                "https://a.example/e returned “text/event-streams” instead of text/event-stream."
            ),
            (
                .reply(200), .contentType,
                "https://a.example/e returned no Content-Type instead of text/event-stream."
            ),
        ] as [(StubTransport.Reply, ResponseError.Code, String)]
    )
    func refused(reply: StubTransport.Reply, code: ResponseError.Code, message: String) async {
        let server = StubTransport(script: [reply, .events("data:a\n\n")])
        let (events, error) = await server.client(on: clock).events(for: api.get(.none, from: "/e")).elements()
        #expect(events == [])
        #expect((error as? ResponseError)?.code == code)
        #expect((error as? ResponseError)?.message.hasSuffix(message) == true)
        #expect(server.requests.count == 1)
        #expect(clock.sleeps == [])
    }

    @Test("An unexpected status throws the API's typed error")
    func apiError() async {
        struct Problem: Error, Decodable, Equatable { var title: String }
        let server = StubTransport(script: [.reply(404, text: #"{"title":"gone"}"#)])
        let request = api.get(.none, from: "/e").decodingErrors(as: Problem.self)
        let error = await server.client(on: clock).events(for: request).elements().error
        #expect((error as? ResponseError)?.underlying as? Problem == Problem(title: "gone"))
    }

    @Test("An endless stream with another successful status throws")
    func endless() async {
        let server = StubTransport(script: [.open("data:a\n\n", status: 201)])
        let (events, error) = await server.client(on: clock).events(for: api.get(.none, from: "/e")).elements()
        #expect(events == [])
        #expect((error as? ResponseError)?.code == .status)
    }

    @Test("The final error is reported to listeners once, and reconnections aren't")
    func listeners() async {
        let reported = Recorder<Client.Failure>()
        let server = StubTransport(script: [.failure(.closed), .events("data:a\n\n"), .failure(.closed), .reply(401)])
        let client = server.client(on: clock) { $0.onFailure = { reported.record($0) } }
        let (events, error) = await client.events(for: api.get(.none, from: "/e")).elements()
        #expect(events.map(\.data) == ["a"])
        #expect((error as? ResponseError)?.head.statusCode == 401)
        #expect(reported.recorded.map { ($0.error as? ResponseError)?.head.statusCode } == [401])
    }

    @Test(
        "A Content-Type in another case or with parameters is accepted",
        arguments: ["text/event-stream", "Text/Event-Stream;charset=utf-8", "text/event-stream ; a=\"b;c\""]
    )
    func contentType(type: String) async {
        let server = StubTransport(script: [.reply(200, header: [Field(name: .contentType, value: type)]), .reply(204)])
        #expect(await server.client(on: clock).events(for: api.get(.none, from: "/e")).elements().error == nil)
    }

    @Test(
        "An error that another connection can't fix throws at once",
        arguments: [.tlsUntrusted, .timedOut(.total), .decoding] as [TransportError.Code]
    )
    func permanent(code: TransportError.Code) async {
        for reply in [StubTransport.Reply.failure(code), .events("", failure: code)] {
            let server = StubTransport(script: [reply, .events("data:a\n\n")])
            let (events, error) = await server.client(on: clock).events(for: api.get(.none, from: "/e")).elements()
            #expect(events == [])
            #expect((error as? TransportError)?.code == code)
        }
        #expect(clock.sleeps == [])
    }

    @Test("An event above the limit throws")
    func tooLarge() async {
        let server = StubTransport(script: [.events("data:1234\n\ndata:12345\n\n"), .events("data:a\n\n")])
        let (events, error) = await server.client(on: clock).events(for: api.get(.none, from: "/e"), upTo: 9).elements()
        #expect(events.map(\.data) == ["1234"])
        #expect((error as? TransportError)?.code == .tooLarge)
        #expect(server.requests.count == 1)
    }

    @Test("Without a repeatable request, the end of the response ends the events")
    func once() async {
        let post = api.post(.text("x"), to: "/e")
        let server = StubTransport(script: [.failure(.cannotConnect), .events("data:a\n\n"), .reply(204)])
        let (events, error) = await server.client(on: clock).events(for: post).elements()
        #expect(events.map(\.data) == ["a"])
        #expect(error == nil)
        #expect(server.requests.count == 2)
    }

    @Test("Without a repeatable request, a failure of the response throws")
    func brokenOnce() async {
        let server = StubTransport(script: [.events("data:a\n\n", failure: .truncated), .events("data:b\n\n")])
        let (events, error) = await server.client(on: clock).events(for: api.post(.text("x"), to: "/e")).elements()
        #expect(events.map(\.data) == ["a"])
        #expect((error as? TransportError)?.code == .truncated)
        #expect(server.requests.count == 1)
    }

    @Test("With an idempotency key, a POST is connected again")
    func keyed() async {
        let server = StubTransport(script: [.events("data:a\n\n"), .events("data:b\n\n"), .reply(204)])
        let request = api.post(.text("x"), to: "/e").adding(headerField: Field(name: "Idempotency-Key", value: "k"))
        #expect(await server.client(on: clock).events(for: request).elements().elements.map(\.data) == ["a", "b"])
    }

    @Test("With `.never`, the end of the first response ends the events")
    func never() async {
        let server = StubTransport(script: [.events("data:a\n\n"), .events("data:b\n\n")])
        let (events, error) = await server.client(on: clock).events(for: api.get(.none, from: "/e"), retries: .never)
            .elements()
        #expect(events.map(\.data) == ["a"])
        #expect(error == nil)
    }

    @Test("A request that can't be built throws before anything is sent")
    func unbuildable() async {
        let server = StubTransport(script: [])
        let error = await server.client(on: clock).events(for: api.get(.none, from: "/a/../b")).elements().error
        #expect(error is RequestError || error is RequestError)
        #expect(server.requests.isEmpty)
    }

    // MARK: The first element of a body

    @Test(
        "Bytes without an element aren't collected without a limit",
        arguments: [(StreamElements.events(upTo: 1000), ": ping\n\n"), (.jsonLines(upTo: 1000), "\n\n")]
    )
    func endlessBody(framing: StreamElements, filler: String) {
        var search = framing.makeSearch()
        var chunks = 0
        let error = #expect(throws: TransportError.self) {
            for _ in 0..<100_000 where try !search.finds(in: Data(filler.utf8)) { chunks += 1 }
        }
        #expect(error?.code == .tooLarge)
        #expect(chunks * filler.utf8.count <= 70_000)
    }

    @Test("Comments before the first event are skipped, and an event may have its full size")
    func found() throws {
        var search = StreamElements.events(upTo: 1000).makeSearch()
        #expect(try !search.finds(in: Data(": ping\n\n".utf8)))
        #expect(try !search.finds(in: Data("data: \(String(repeating: "a", count: 900))\n".utf8)))
        #expect(try search.finds(in: Data("\n".utf8)))
    }
}
