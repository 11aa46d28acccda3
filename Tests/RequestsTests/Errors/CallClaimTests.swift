import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("What an error tells about the requests of its call", .timeLimit(.minutes(5)))
final class CallClaimTests: DownloadSuite, Sendable {
    typealias Reply = ScriptedTransport.Reply

    private struct Broken: Error {}

    private let api = BaseURL("https://a.example")
    let directory: URL

    init() throws {
        directory = try Self.makeDirectory()
    }

    deinit { removeDirectory() }

    @Test(
        "An error tells whether any attempt may have been processed",
        arguments: [
            (Named("nothing else", []), false), (Named("503", [.status(503)]), true),
            (Named("no connection", [.refused]), false), (Named("closed while sending", [.closed]), true),
            (Named("broken body", [.broken()]), true), (Named("redirect", [.redirect(to: "/next")]), true),
            (Named("closed, then no connection", [.closed, .refused]), true),
            (Named("no connection twice", [.refused, .refused]), false),
            (Named("an error of another layer", [.error(Broken())]), true),
            (Named("a status that says that nothing was done", [.status(429)]), false),
        ] as [(Named<[Reply]>, Bool)]
    )
    func processed(script: Named<[Reply]>, mayHaveBeen: Bool) async {
        let transport = ScriptedTransport(script.value + [.refused])
        let isRedirected = script.name == "redirect"
        let client = transport.client {
            $0.retries = .fixed(.seconds(1), limit: isRedirected ? 0 : script.value.count)
            if script.name.hasSuffix("done") { $0.retries?.unprocessedStatuses = [429] }
            if script.name.hasSuffix("layer") { $0.retries = $0.retries?.retrying { _, _ in true } }
        }
        let error = await failure { try await client.send(api.get(.none, from: "/")) } as? TransportError
        #expect(error?.code == .cannotConnect)
        #expect(error?.phase == .connecting)
        #expect(error?.requestMayHaveBeenProcessed == mayHaveBeen)
        #expect(transport.sent.count == script.value.count + 1)
        #expect(transport.clock.waits.count == (isRedirected ? 0 : script.value.count))
    }

    @Test(
        "A challenge counts as processed unless it is a 401, also if a later attempt fails",
        arguments: [(401, false), (403, true)],
        [0, 1]
    )
    func processedChallenge(challenge: (status: Int, mayHaveBeen: Bool), retries: Int) async {
        let script: [Reply] = [.status(challenge.status), .refused, .refused]
        let transport = ScriptedTransport(script)
        let client = transport.client {
            $0.retries = .fixed(.seconds(1), limit: retries)
            $0.authenticate("https://a.example", with: .answering([401, 403]))
        }
        let error = await failure { try await client.send(api.get(.none, from: "/")) } as? TransportError
        #expect(error?.code == .cannotConnect)
        #expect(error?.requestMayHaveBeenProcessed == challenge.mayHaveBeen)
        #expect(transport.sent.count == 2 + retries)
    }

    @Test(
        "The earlier parts and versions of a download count as processed",
        arguments: [
            (Named("a part", "bytes 3-4/9"), "\"1\"", "bytes=5-"),
            (Named("another version", "bytes 3-4/9"), "\"2\"", nil),
        ] as [(Named<String>, String, String?)]
    )
    func processedParts(range: Named<String>, tag: String, next: String?) async throws {
        let broken = ScriptedTransport([.broken(200, [Field(name: .eTag, value: "\"1\"")], "abc")])
        let request = api.get(.none, from: "/f")
        _ = await failure { _ = try await broken.client().download(request, to: file, resume: true) }
        let header: Header = [Field(name: "Content-Range", value: range.value), Field(name: .eTag, value: tag)]
        let transport = ScriptedTransport([.status(206, header, "de"), .refused])
        let error = await failure { _ = try await transport.client().download(request, to: file, resume: true) }
        #expect(errorCode(error) == "cannotConnect")
        #expect((error as? TransportError)?.requestMayHaveBeenProcessed == true)
        #expect(transport.values(of: .range) == ["bytes=3-", next])
    }

    @Test("A token that never came says nothing about the request, which wasn't sent")
    func tokens() async throws {
        let stub = StubTransport { try .stub(200, for: $0) }
        let provider = AuthenticationProvider.asynchronous { _ in
            throw TransportError(code: .closed, message: "the token's server", phase: .receiving)
        }
        let request = BaseURL("https://a.example").delete("/").authenticated(with: provider)
        let error = await #expect(throws: TransportError.self) { try await Client(transport: stub).send(request) }
        #expect(error?.requestMayHaveBeenProcessed == false)
        #expect(stub.requests.isEmpty)
    }

    @Test("A total timeout that ends a request in middleware reports that it was sent", arguments: [true, false])
    func total(isSent: Bool) async throws {
        let clock = TestClock()
        let stuck = Interception { request, _, next in
            if isSent { _ = try await next(request) }
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(5))
            // Ignores cancellation.
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            return try await next(request)
        }
        let client = StubTransport { try .stub(200, for: $0) }.client(on: clock) {
            $0.timeouts.total = .seconds(5)
            $0.middleware = [stuck]
        }
        let post = BaseURL("https://a.example").post(.text("x"), to: "/")
        let error = await #expect(throws: TransportError.self) { try await client.send(post) }
        #expect(error?.code == .timedOut(.total))
        #expect(error?.requestMayHaveBeenProcessed == isSent)
    }
}
