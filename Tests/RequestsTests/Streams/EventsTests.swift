import Foundation
import Requests
import RequestsClient
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
}
