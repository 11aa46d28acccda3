import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("The commit point of a call", .timeLimit(.minutes(5)))
final class CallCommitTests: DownloadSuite, Sendable {
    typealias Reply = ScriptedTransport.Reply

    private let api = BaseURL("https://a.example")
    let directory: URL

    init() throws {
        directory = try Self.makeDirectory()
    }

    deinit { removeDirectory() }

    /// How a caller asks for a response.
    enum Kind: String, CaseIterable {
        case stream, send, download, events
    }

    /// - Returns: The text of the result. `nil` for a stream, whose body isn't read.
    private func run(_ kind: Kind, _ client: Client, path: Endpoint = "/") async throws -> String? {
        switch kind {
        case .stream:
            _ = try await client.stream(api.get(.none, from: path))
            return nil
        case .send: return try await client.send(api.get(.text, from: path))
        case .download:
            _ = try await client.download(api.get(.none, from: path), to: file)
            return try content()
        case .events:
            let events = client.events(of: Int.self, for: api.get(.none, from: path), until: "end")
            let (elements, error) = await events.elements()
            if let error { throw error }
            return elements.map(String.init).joined()
        }
    }

    private static let events: Header = [Field(name: .contentType, value: "text/event-stream")]

    /// A body that counts its reads.
    private func counted(_ text: String, _ reads: Recorder<Void>) -> ResponseBody {
        let rest = Locked<Data?>(Data(text.utf8))
        return ResponseBody(
            AsyncStream<Data> {
                reads.record()
                return rest.withLock { $0.take() }
            }
        )
    }

    @Test(
        "A call reads up to its commit point",
        arguments: [
            (Kind.stream, "data: 1\n\ndata: end\n\n", nil), (.send, "12345678", "12345678"),
            (.download, "12345678", "12345678"), (.events, "data: 1\n\ndata: end\n\n", "1"),
        ] as [(Kind, String, String?)]
    )
    func accepted(kind: Kind, body: String, result: String?) async throws {
        let reads = Recorder<Void>()
        let transport = ScriptedTransport([.body(200, Self.events, counted(body, reads))])
        #expect(try await run(kind, transport.client()) == result)
        #expect((reads.count == 0) == (kind == .stream))
        #expect(transport.sent.count == 1)
    }

    @Test(
        "A response that isn't accepted is read into memory up to the limit, unless it is streamed",
        arguments: Kind.allCases,
        [("1234567", "404"), ("12345678", "tooLarge")]
    )
    func refused(kind: Kind, body: (text: String, code: String)) async {
        let reads = Recorder<Void>()
        let transport = ScriptedTransport([.body(404, Self.events, counted(body.text, reads)), .status(200)])
        let client = transport.client {
            $0.maximumBodyBytes = 7
            $0.retries = .fixed(.seconds(1), limit: 2)
        }
        let error = await failure { _ = try await run(kind, client) }
        #expect(errorCode(error) == (kind == .stream ? nil : body.code))
        if let error = error as? ResponseError { #expect(error.data == Data(body.text.utf8)) }
        #expect((reads.count == 0) == (kind == .stream))
        #expect(transport.sent.count == 1)
        if kind == .download { #expect((try? names) == []) }
    }

    @Test("An accepted body above the limit fails, and a download has no limit", arguments: Kind.allCases)
    func large(kind: Kind) async {
        let transport = ScriptedTransport([.body(200, [], counted("12345678", Recorder<Void>())), .status(200)])
        let client = transport.client {
            $0.maximumBodyBytes = 7
            $0.retries = .fixed(.seconds(1), limit: 2)
        }
        let error = await failure { _ = try await run(kind, client) }
        let codes: [Kind: String] = [.send: "tooLarge", .events: "contentType"]
        #expect(errorCode(error) == codes[kind])
        #expect(transport.sent.count == 1)
    }

    @Test("Without a rule, a stream delivers a response with any status, and no history", arguments: [200, 404, 503])
    func noRule(status: Int) async throws {
        let transport = ScriptedTransport([.status(status, [], "body")])
        let response = try await transport.client().stream(api.get(.none, from: "/"))
        #expect(response.head.statusCode == status)
        #expect(response.history.isEmpty)
        #expect(try await response.content.collect(upTo: 9) == Data("body".utf8))
    }

    @Test("Events that break before the first one are retried, and never afterwards")
    func firstElement() async throws {
        let transport = ScriptedTransport([
            .broken(200, Self.events, ": comment\n\n"), .broken(200, Self.events, "data: 1\n\n"),
            .status(200, Self.events, "data: 2\n\ndata: end\n\n"),
        ])
        let client = transport.client { $0.retries = .fixed(.seconds(1), limit: 2) }
        let events = client.events(of: Int.self, for: api.get(.none, from: "/"), until: "end")
        let (elements, error) = await events.elements()
        #expect(elements == [1])
        #expect(errorCode(error) == "truncated")
        #expect(transport.sent.count == 2)
        #expect(transport.clock.waits == [.seconds(1)])
    }

    /// A body that fails at its first read, and records when it is closed.
    private final class FailingSource: ResponseBodySource {
        private let onClose: @Sendable () -> Void

        init(onClose: @escaping @Sendable () -> Void) {
            self.onClose = onClose
        }

        deinit { onClose() }

        func next() throws -> Data? { throw TransportError(code: .truncated, message: "broken", phase: .receiving) }
        func collect(upTo maximumBytes: Int) throws -> Data { try next() ?? Data() }
        func cancel() { onClose() }
        var trailers: Header? { nil }
        var isRead: Bool { false }
    }

    @Test(
        "A body that fails is closed before the wait of the retry",
        arguments: [Kind.send, .download, .events],
        [200, 404]
    )
    func closed(kind: Kind, status: Int) async throws {
        let clock = ScriptedClock()
        let waitsBefore = Recorder<Int>()
        let failing = Reply {
            let source = FailingSource { waitsBefore.record(clock.waits.count) }
            return try Response(status: status, header: Self.events, content: ResponseBody(source: source), for: $0)
        }
        let transport = ScriptedTransport([failing, .status(200, Self.events, "data: 1\n\ndata: end\n\n")], on: clock)
        let client = transport.client { $0.retries = .fixed(.seconds(1), limit: 1) }
        _ = try await run(kind, client)
        #expect(transport.sent.count == 2)
        #expect(clock.waits == [.seconds(1)])
        #expect(waitsBefore.recorded.first == 0)
    }
}
