import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("The end of events", .timeLimit(.minutes(5)))
struct EventsEndTests {
    private let clock = TestClock(isImmediate: true)
    private let api = BaseURL("https://a.example")

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
}
