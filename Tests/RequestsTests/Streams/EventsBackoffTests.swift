import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Waits between connections for events", .timeLimit(.minutes(5)))
struct EventsBackoffTests {
    private let clock = TestClock(isImmediate: true)
    private let api = BaseURL("https://a.example")

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
}
