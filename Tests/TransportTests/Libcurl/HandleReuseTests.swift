import RequestsConformance
import RequestsCurl
import RequestsTestSupport
import RequestsTesting
import Testing

/// A libcurl handle keeps its options, and serves one request after another.
@Suite("Reused handles", .timeLimit(.minutes(5)))
struct HandleReuseTests {
    /// Requests that set different options of a handle.
    private static let changes: [Named<@Sendable (inout PreparedRequest) -> Void>] = [
        Named("GET") { _ in },
        Named("GET with a body") { $0.body = .data(Data("get".utf8)) },
        Named("HEAD") { $0.method = .head },
        Named("DELETE") { $0.method = .delete },
        Named("POST with data") { ($0.method, $0.body) = (.post, .data(Data("data".utf8))) },
        Named("POST without a body") { $0.method = .post },
        Named("PUT with a stream") {
            ($0.method, $0.body) = (.put, .replayable(Data("stream".utf8)))
        },
        Named("PUT with 1 MiB") { ($0.method, $0.body) = (.put, .data(Data(count: 1 << 20))) },
        Named("GET with fields") {
            $0.header = ["TE": "trailers", "Accept": "text/plain", "Accept-Encoding": "gzip", "User-Agent": "a"]
        },
        Named("GET with timeouts") { $0.options.timeouts = Timeouts(connect: .seconds(3600), idle: .seconds(3600)) },
        Named("GET with an observer") { $0.options.observer = { _ in } },
    ]

    /// Returns the requests as the server received them.
    private func exchange(
        _ changes: Named<@Sendable (inout PreparedRequest) -> Void>...,
        over proxy: CurlTransport.Proxy = .none
    ) async throws -> [String] {
        let server = try LoopbackServer.http(recording: true) { _ in .init(200, .plainText, "ok") }
        defer { server.stop() }
        let transport = try CurlTransport()
        for change in changes {
            var request = try PreparedRequest(
                url: RequestURL("\(server.baseURL)/a?b"),
                options: CallOptions(timeouts: .unlimited)
            )
            change.value(&request)
            let body = try await transport.send(request).content.collect(upTo: 100)
            #expect(body.count == (request.method == .head ? 0 : 2))
        }
        #expect(server.acceptedConnections == 1)
        return server.requests.map { request in
            let fields = request.header.filter { $0.name != .host }.map { "\($0.name): \($0.value)" }
            return ([request.line] + fields + ["\(request.body.count): \(request.body.prefix(10))"]).joined(
                separator: "\n"
            )
        }
    }

    @Test("A request doesn't depend on the one that its handle sent before", arguments: changes)
    func independence(change: Named<@Sendable (inout PreparedRequest) -> Void>) async throws {
        let alone = try await exchange(change)
        for other in HandleReuseTests.changes {
            let all = try await exchange(change, other, change)
            #expect([all.first, all.last] == [alone.first, alone.first], "after \(other)")
        }
    }

    @Test("Values that are equal as strings, but not as bytes, are sent as they are")
    func equalStrings() async throws {
        let sent = try await exchange(
            Named("composed", { @Sendable request in request.header = ["X": "\u{E9}"] }),
            Named("decomposed", { @Sendable request in request.header = ["X": "e\u{301}"] })
        )
        #expect(sent[0] == sent[1] && !sent[0].utf8.elementsEqual(sent[1].utf8))
    }

    /// Records whether calls read bodies into memory.
    private struct Recorder: Transport {
        let collects = Promise<Bool>()
        let capabilities: TransportCapabilities = []

        func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
            collects.give(.success(context.collectsBody))
            return try .stub(200, for: request)
        }
    }

    @Test("A call says whether it reads the body into memory, which chooses a handle with a small buffer")
    func buffers() async throws {
        let api = BaseURL("https://api.example.com")
        for collects in [true, false] {
            let recorder = Recorder()
            let client = Client(transport: recorder)
            if collects {
                _ = try await client.send(api.get(.text, from: "/"))
            } else {
                _ = try await client.stream(api.get(.text, from: "/"))
            }
            #expect(try await recorder.collects.take() == collects)
        }
    }
}
