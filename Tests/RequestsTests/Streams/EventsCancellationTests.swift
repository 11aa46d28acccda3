import RequestsTesting
import Testing

@Suite("Cancellation of events", .timeLimit(.minutes(5)))
struct EventsCancellationTests {
    private let clock = TestClock()
    private let canceledStreams = Recorder<Void>()
    private let seen = Recorder<String>()

    private func events(
        _ server: StubTransport
    ) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        server.client(on: clock).events(for: BaseURL("https://a.example").get(.none, from: "/e"))
    }

    private func read(_ server: StubTransport) -> Task<Void, any Error> {
        let events = events(server)
        return Task { [seen] in
            for try await event in events { seen.record(event.data) }
        }
    }

    private func open(_ text: String) -> StubTransport.Reply {
        .open(text) { [canceledStreams] in canceledStreams.record() }
    }

    @Test("Canceling the task ends the exchange, and there is no other connection")
    func canceled() async throws {
        let server = StubTransport(script: [open("data:a\n\n"), open("data:b\n\n")])
        let task = read(server)
        while seen.count == 0 { await Task.yield() }
        #expect(canceledStreams.count == 0)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(canceledStreams.count == 1)
        #expect(server.requests.count == 1)
        #expect(clock.sleeps == [])
    }

    @Test("Dropping the iterator ends the exchange")
    func dropped() async throws {
        for try await event in events(StubTransport(script: [open("data:a\n\ndata:b\n\n")])) {
            #expect(event.data == "a")
            #expect(canceledStreams.count == 0)
            break
        }
        #expect(canceledStreams.count == 1)
    }

    @Test("Canceling the task ends the wait for the next connection")
    func canceledWait() async throws {
        let server = StubTransport(script: [.events("data:a\n\n"), open("data:b\n\n")])
        let task = read(server)
        try await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(seen.recorded == ["a"])
        #expect(server.requests.count == 1)
    }

    @Test("`cancelAll` ends the wait for the next connection")
    func canceledWithAll() async throws {
        let server = StubTransport(script: [.events("data:a\n\n"), open("data:b\n\n")])
        let client = server.client(on: clock)
        let events = client.events(for: BaseURL("https://a.example").get(.none, from: "/e"))
        let task = Task {
            for try await _ in events {}
        }
        try await clock.waitForSleepers()
        client.cancelAll()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.requests.count == 1)
    }

    @Test("The wait for the next connection uses the client's clock")
    func wait() async throws {
        let server = StubTransport(script: [.events("retry:5000\ndata:a\n\n"), open("data:b\n\n")])
        let task = read(server)
        try await clock.waitForSleepers()
        clock.advance(by: .milliseconds(4999))
        #expect(clock.sleeperCount == 1)
        #expect(server.requests.count == 1)
        clock.advance(by: .milliseconds(1))
        while seen.count < 2 { await Task.yield() }
        #expect(seen.recorded == ["a", "b"])
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("The iterator returns nil after its end")
    func ended() async throws {
        let server = StubTransport(script: [.reply(204), open("data:a\n\n")])
        var iterator = events(server).makeAsyncIterator()
        for _ in 1...2 { #expect(try await iterator.next() == nil) }
        #expect(server.requests.count == 1)
    }

    @Test("The iterator returns nil after an error")
    func failed() async throws {
        let server = StubTransport(script: [.reply(404), open("data:a\n\n")])
        var iterator = events(server).makeAsyncIterator()
        do {
            Issue.record("\(String(describing: try await iterator.next())) is not an error")
        } catch {
            #expect((error as? ResponseError)?.code == .status)
        }
        #expect(try await iterator.next() == nil)
        #expect(server.requests.count == 1)
    }
}
