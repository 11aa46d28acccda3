import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("The end of events", .timeLimit(.minutes(5)))
struct EventsEndTests {
    private let clock = TestClock(isImmediate: true)
    private let api = AnonymousRequestProvider("https://a.example")

    @Test(
        "is an error at once",
        arguments: [
            (.reply(404), .status, "https://a.example/e answered 404 (0 bytes)"),
            (.reply(401), .status, "https://a.example/e answered 401 (0 bytes)"),
            (.reply(501), .status, "https://a.example/e answered 501 (0 bytes)"),
            (
                .reply(206, header: [.eventStream]), .status,
                "https://a.example/e answered 206, not 200; its body was not read"
            ),
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
        let (events, error) = await server.client(on: clock).events(for: api.get(.none, from: "/e")).elements()
        #expect(events == [])
        #expect((error as? ResponseError)?.code == code)
        #expect((error as? ResponseError)?.message == message)
        #expect(server.requests.count == 1)
        #expect(clock.sleeps == [])
    }

    @Test("is an error with what the API says about it, as the request reads it")
    func apiError() async {
        struct Problem: Error, Decodable, Equatable { var title: String }
        let server = StubTransport(script: [.reply(404, text: #"{"title":"gone"}"#)])
        let request = api.get(.none, from: "/e").errors(as: Problem.self)
        let error = await server.client(on: clock).events(for: request).elements().error
        #expect((error as? ResponseError)?.underlying as? Problem == Problem(title: "gone"))
    }

    @Test("is an error at once where a stream of another status would go on for ever")
    func endless() async {
        let server = StubTransport(script: [.open("data:a\n\n", status: 201)])
        let (events, error) = await server.client(on: clock).events(for: api.get(.none, from: "/e")).elements()
        #expect(events == [])
        #expect((error as? ResponseError)?.code == .status)
    }

    @Test("is told to listeners once, and a connection that is made again is not")
    func listeners() async {
        let told = Recorder<Client.Failure>()
        let server = StubTransport(script: [.failure(.closed), .events("data:a\n\n"), .failure(.closed), .reply(401)])
        let client = server.client(on: clock) { $0.onFailure = { told.record($0) } }
        let (events, error) = await client.events(for: api.get(.none, from: "/e")).elements()
        #expect(events.map(\.data) == ["a"])
        #expect((error as? ResponseError)?.head.statusCode == 401)
        #expect(told.recorded.map { ($0.error as? ResponseError)?.head.statusCode } == [401])
    }

    @Test(
        "does not come of `text/event-stream` in another case, or with parameters",
        arguments: ["text/event-stream", "Text/Event-Stream;charset=utf-8", "text/event-stream ; a=\"b;c\""]
    )
    func contentType(type: String) async {
        let server = StubTransport(script: [.reply(200, header: [Field(name: .contentType, value: type)]), .reply(204)])
        #expect(await server.client(on: clock).events(for: api.get(.none, from: "/e")).elements().error == nil)
    }

    @Test(
        "is an error that another connection would end with too",
        arguments: [.tlsUntrusted, .timedOut(.total), .decoding] as [TransportError.Code]
    )
    func permanent(code: TransportError.Code) async {
        for answer in [StubTransport.Reply.failure(code), .events("", failure: code)] {
            let server = StubTransport(script: [answer, .events("data:a\n\n")])
            let (events, error) = await server.client(on: clock).events(for: api.get(.none, from: "/e")).elements()
            #expect(events == [])
            #expect((error as? TransportError)?.code == code)
        }
        #expect(clock.sleeps == [])
    }

    @Test("comes with an event that is too large")
    func tooLarge() async {
        let server = StubTransport(script: [.events("data:1234\n\ndata:12345\n\n"), .events("data:a\n\n")])
        let (events, error) = await server.client(on: clock).events(for: api.get(.none, from: "/e"), upTo: 9).elements()
        #expect(events.map(\.data) == ["1234"])
        #expect((error as? TransportError)?.code == .tooLarge)
        #expect(server.requests.count == 1)
    }

    @Test("is the end of the response, for a request that must not be made twice")
    func once() async {
        let post = api.post(.text("x"), to: "/e")
        let server = StubTransport(script: [.failure(.cannotConnect), .events("data:a\n\n"), .reply(204)])
        let (events, error) = await server.client(on: clock).events(for: post).elements()
        #expect(events.map(\.data) == ["a"])
        #expect(error == nil)
        #expect(server.requests.count == 2)
    }

    @Test("is the break of the response, for a request that must not be made twice")
    func brokenOnce() async {
        let server = StubTransport(script: [.events("data:a\n\n", failure: .truncated), .events("data:b\n\n")])
        let (events, error) = await server.client(on: clock).events(for: api.post(.text("x"), to: "/e")).elements()
        #expect(events.map(\.data) == ["a"])
        #expect((error as? TransportError)?.code == .truncated)
        #expect(server.requests.count == 1)
    }

    @Test("is not that of the response, for a request with a key against being made twice")
    func keyed() async {
        let server = StubTransport(script: [.events("data:a\n\n"), .events("data:b\n\n"), .reply(204)])
        let request = api.post(.text("x"), to: "/e").adding(headerField: Field(name: "Idempotency-Key", value: "k"))
        #expect(await server.client(on: clock).events(for: request).elements().elements.map(\.data) == ["a", "b"])
    }

    @Test("is that of the first response without retries")
    func never() async {
        let server = StubTransport(script: [.events("data:a\n\n"), .events("data:b\n\n")])
        let (events, error) = await server.client(on: clock).events(for: api.get(.none, from: "/e"), retries: .never)
            .elements()
        #expect(events.map(\.data) == ["a"])
        #expect(error == nil)
    }

    @Test("comes before anything is sent, for a request that cannot be built")
    func unbuildable() async {
        let server = StubTransport(script: [])
        let error = await server.client(on: clock).events(for: api.get(.none, from: "/a/../b")).elements().error
        #expect(error is InvalidRequestURLError || error is RequestError)
        #expect(server.requests.isEmpty)
    }
}
