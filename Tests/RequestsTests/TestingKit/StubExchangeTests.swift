import RequestsTesting
import Synchronization
import Testing

@Suite("Stub exchanges", .timeLimit(.minutes(5)))
struct StubExchangeTests {
    private final class Events: Sendable {
        private let all = Mutex<[String]>([])
        var list: [String] { all.withLock { $0 } }

        func add(_ event: PreparedRequest.Event) {
            let text =
                switch event {
                case .resolved, .secured: "other"
                case .connected(_, let remote, _): "connected \(remote)"
                case .sent(let bytes, let total): "sent \(bytes) of \(total.map(String.init) ?? "?")"
                case .requestSent: "requestSent"
                case .informational(let head): "informational \(head.statusCode)"
                case .head(let head): "head \(head.statusCode)"
                case .received(let bytes, let total): "received \(bytes) of \(total.map(String.init) ?? "?")"
                case .ended(let metrics): "ended \(metrics.sentBodyBytes)/\(metrics.receivedBodyBytes)"
                }
            all.withLock { $0.append(text) }
        }
    }

    private func request(
        _ events: Events? = nil,
        body: RequestBody = .none,
        timeouts: Timeouts = Timeouts()
    ) throws -> PreparedRequest {
        var request = try PreparedRequest(
            method: body.isNone ? .get : .post,
            url: RequestURL("http://h/a"),
            body: body,
            options: CallOptions(timeouts: timeouts)
        )
        if let events { request.options.observer = { events.add($0) } }
        return request
    }

    private static func chunks(_ counts: Int...) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for count in counts { continuation.yield(Data(count: count)) }
            continuation.finish()
        }
    }

    @Test("a stub reports what a transport reports, in the same order")
    func events() async throws {
        let events = Events()
        let pieces = [Data("abc".utf8), Data("de".utf8)]
        let length: Header = [Field(name: .contentLength, value: "5")]
        var stub = StubTransport(script: [
            .reply(200, header: length, chunks: pieces, trailers: ["X-Sum": "1"]).preceded(by: 103)
        ])
        stub.capabilities.insert(.metrics)
        let response = try await stub.send(request(events, body: .data(Data("body".utf8))))
        #expect(try await response.content.collect(upTo: 100) == Data("abcde".utf8))
        #expect(
            events.list == [
                "connected h:80", "sent 4 of 4", "requestSent", "informational 103", "head 200", "received 3 of 5",
                "received 5 of 5", "ended 4/5",
            ]
        )
        #expect(response.content.trailers?["X-Sum"] == "1")
        #expect(response.metrics?.sentBodyBytes == 4)
        #expect(response.content.metrics?.receivedBodyBytes == 5)
        #expect(response.content.metrics?.responseEnd != nil)
    }

    @Test("a stub reports the end of an exchange that fails, and of a body that is dropped")
    func ends() async throws {
        let failed = Events()
        _ = try? await StubTransport(script: [.failure(.closed)]).send(request(failed))
        #expect(failed.list == ["requestSent", "ended 0/0"])
        let read = Events()
        _ = try await StubTransport(script: [.reply(200, text: "body")]).send(request(read)).content.collect(upTo: 9)
        #expect(read.list == ["requestSent", "head 200", "received 4 of ?", "ended 0/4"])
        let dropped = Events()
        _ = try await StubTransport(script: [.reply(200, text: "body")]).send(request(dropped))
        #expect(dropped.list == ["requestSent", "head 200", "received 4 of ?", "ended 0/4"])
    }

    @Test("a stub without the capability gives no metrics and rejects what its capabilities lack")
    func capabilities() async throws {
        var stub = StubTransport(script: [.reply(200), .reply(200)])
        #expect(try await stub.send(request()).metrics == nil)
        stub.capabilities.remove(.connectTimeout)
        let limited = try request(timeouts: Timeouts(connect: .seconds(1)))
        let error = await #expect(throws: TransportError.self) { try await stub.send(limited) }
        #expect(error?.code == .unsupported)
        #expect(stub.requests.count == 1)
    }

    @Test("a source that fails ends the exchange as on other transports")
    func source() async throws {
        let chunks = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: CocoaError(.fileReadUnknown)) }
        let request = BaseURL("https://h").post(.chunks(chunks), to: "/")
        let stub = StubTransport(script: [.reply(200)])
        let error = await #expect(throws: TransportError.self) { try await stub.send(request.prepared()) }
        #expect(error?.code == .sourceFailed)
    }

    @Test("a stub reports each chunk when it is read, so an observer can cancel in the middle")
    func cancelHalfway() async throws {
        let events = Events()
        let body = RequestBody.chunks(Self.chunks(3, 2, 1), length: 6)
        var upload = try request(body: body)
        upload.options.observer = { event in
            events.add(event)
            if case .sent(5, _) = event { withUnsafeCurrentTask { $0?.cancel() } }
        }
        let stub = StubTransport(script: [.reply(200)])
        let canceled = upload
        await #expect(throws: CancellationError.self) { _ = try await stub.send(canceled) }
        #expect(events.list == ["sent 3 of 6", "sent 5 of 6", "ended 5/0"])
    }

    @Test(
        "canceling all calls in the progress closure ends an upload",
        arguments: [nil, Duration.seconds(60)],
        [true, false]
    )
    func cancelAll(total: Duration?, isStreamed: Bool) async throws {
        let client = Client(transport: StubTransport(script: [.reply(200)]))
        let reports = Mutex<[Int64]>([])
        let body = isStreamed ? BodyProvider.chunks(Self.chunks(3, 2, 1), length: 6) : .text("abc")
        let upload = BaseURL("https://h").put(body, to: "/a")
        await #expect(throws: CancellationError.self) {
            try await client.send(upload.timeouts(total: total)) { sent, _ in
                reports.withLock { $0.append(sent) }
                client.cancelAll()
            }
        }
        #expect(reports.withLock { $0 } == [3])
    }

    @Test("a task that an observer or a condition starts isn't a part of the call")
    func outsideOfCall() async throws {
        let states = Recorder<Bool>()
        let isMet = StubTransport.Condition.predicate("one") { _ in
            states.record(CallState.current == nil)
            return true
        }
        let stub = StubTransport(routes: [.get("/", .reply(200, text: "a")).matching(isMet)])
        let request = BaseURL("https://h").get(.text, from: "/").observing { _ in
            states.record(CallState.current == nil)
        }
        _ = try await Client(transport: stub).send(request)
        #expect(states.count > 3 && states.recorded.allSatisfy { $0 })
    }

    @Test("canceling all calls when the head arrives ends a call")
    func cancelAllAtHead() async throws {
        let client = Client(transport: StubTransport(script: [.reply(200, text: "a")]))
        let request = BaseURL("https://h").get(.text, from: "/").observing { event in
            if case .head = event { client.cancelAll() }
        }
        await #expect(throws: CancellationError.self) { try await client.send(request) }
    }

    @Test("the events of an upload to a fallback are reported once")
    func eventsOfFallback() async throws {
        let events = Events()
        let stub = StubTransport(
            routes: [.get("/other", .reply(200))],
            otherwise: StubTransport(script: [.reply(201)])
        )
        let body = RequestBody.chunks(Self.chunks(3, 2), length: 5)
        let head = try await stub.send(request(events, body: body)).head
        #expect(head.statusCode == 201)
        #expect(events.list == ["sent 5 of 5", "requestSent", "head 201", "ended 5/0"])
    }

    @Test("the total timeout covers a handler that ignores cancellation")
    func totalOfHandler() async throws {
        let clock = TestClock()
        let stub = StubTransport(clock: clock) { request in
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            return try .stub(200, for: request)
        }
        let limited = try request(timeouts: Timeouts(total: .milliseconds(300)))
        let context = SendContext(deadline: Deadline(after: .milliseconds(300), on: clock))
        let response = Task { try await stub.send(limited, context: context) }
        try await clock.waitForSleepers()
        clock.advance(by: .milliseconds(300))
        let error = await #expect(throws: TransportError.self) { try await response.value }
        #expect(error?.code == .timedOut(.total))
        #expect(clock.sleeps == [.milliseconds(300)])
    }

    @Test("the total timeout covers an endless body")
    func totalOfBody() async throws {
        let clock = TestClock(isImmediate: true)
        let stub = StubTransport(
            routes: [.get("/a", .reply(200, chunks: Array(repeating: Data("a".utf8), count: 99), every: .seconds(1)))],
            clock: clock
        )
        let response = try await stub.send(request(timeouts: Timeouts(total: .seconds(10))))
        let error = await #expect(throws: TransportError.self) { try await response.content.collect(upTo: 1000) }
        #expect(error?.code == .timedOut(.total))
        #expect(clock.sleeps.count == 10)
    }

    @Test("the idle timeout covers the gaps of a body")
    func idleOfBody() async throws {
        let clock = TestClock(isImmediate: true)
        let pieces = Array(repeating: Data("a".utf8), count: 9)
        let stub = StubTransport(
            script: [.reply(200, chunks: pieces, every: .seconds(4)), .reply(200, chunks: pieces, every: .seconds(6))],
            clock: clock
        )
        let limited = try request(timeouts: Timeouts(idle: .seconds(5)))
        #expect(try await stub.send(limited).content.collect(upTo: 100).count == 9)
        let body = try await stub.send(limited).content
        let error = await #expect(throws: TransportError.self) { try await body.collect(upTo: 100) }
        #expect(error?.code == .timedOut(.idle))
    }

    @Test("a reader that comes late isn't idle")
    func lateReader() async throws {
        let clock = TestClock()
        let stub = StubTransport(script: [.reply(200, chunks: [Data("a".utf8), Data("b".utf8)])], clock: clock)
        let body = try await stub.send(request(timeouts: Timeouts(idle: .seconds(5)))).content.makeAsyncIterator()
        for text in ["a", "b"] {
            clock.advance(by: .seconds(6))
            #expect(try await body.next() == Data(text.utf8))
        }
    }

    @Test("a reply that never comes ends with the idle timeout")
    func never() async throws {
        let stub = StubTransport(script: [.never], clock: TestClock(isImmediate: true))
        let error = await #expect(throws: TransportError.self) { try await stub.send(request()) }
        #expect(error?.code == .timedOut(.idle))
    }

    @Test("a request without a route goes to the fallback, and isn't counted as unmatched")
    func fallback() async throws {
        var other = StubTransport(routes: [.post("/b", .reply(202))])
        other.capabilities.remove(.connectTimeout)
        let stub = StubTransport(routes: [.get("/a").expecting(calls: 0...)], otherwise: other)
        #expect(!stub.capabilities.contains(.connectTimeout))
        let chunks = AsyncStream<Data> { continuation in
            continuation.yield(Data("once".utf8))
            continuation.finish()
        }
        let request = BaseURL("https://h").post(.chunks(chunks), to: "/b")
        let response = try await Client(transport: stub).response(for: request)
        #expect(response.head.statusCode == 202)
        #expect(other.requests.first?.body.data == Data("once".utf8))
        try stub.verify()
        let unknown = try PreparedRequest(url: RequestURL("https://h/c"))
        await #expect(throws: TransportError.self) { try await stub.send(unknown) }
    }
}
