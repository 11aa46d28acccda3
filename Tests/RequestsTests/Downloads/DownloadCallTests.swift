import RequestsTesting
import Testing

@testable import RequestsClient

@Suite("Downloads as one call", .timeLimit(.minutes(5)))
final class DownloadCallTests: DownloadSuite, Sendable {
    private let api = BaseURL("https://a.example")
    private let clock = TestClock(isImmediate: true)
    private let events = Recorder<LogDestination.Event>()
    private let failures = Recorder<Client.Failure>()
    let directory: URL

    init() throws {
        directory = try Self.makeDirectory()
    }

    deinit { removeDirectory() }

    private func client(_ transport: any Transport, retries: Int = 0) -> Client {
        var configuration = Client.Configuration()
        configuration.progressInterval = .zero
        configuration.retries = .fixed(.zero, limit: retries)
        configuration.clock = clock
        configuration.timeouts.total = .seconds(10)
        configuration.log = LogDestination { [events] in events.record($0) }
        configuration.onFailure = { [failures] in failures.record($0) }
        return Client(transport: transport, configuration: configuration)
    }

    /// The log without the numbers of the calls.
    private var lines: [String] {
        events.recorded.map { String($0.description.drop { $0 != " " }.dropFirst()) }
    }

    @Test("Nothing is written after a call has returned, even if its transport goes on", arguments: [true, false])
    func late(canResume: Bool) async throws {
        let request = try api.get(.none, from: "/f").prepared()
        let download = try Download(request, to: file, canResume: canResume, progress: nil)
        download.leave()
        let head = try ResponseHead(statusCode: 200, url: request.url)
        await #expect(throws: CancellationError.self) {
            try await download.receive(ResponseBody(Data("late".utf8)), head, DownloadResumption(canResume: canResume))
        }
        await #expect(throws: CancellationError.self) {
            try await download.save(Response(head: head, content: ResponseBody(Data("late".utf8))))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }

    private static let version = Field(name: .eTag, value: "\"v1\"")

    /// Leaves three of six bytes, without a log and listeners.
    private func leavePart() async {
        let broken: StubTransport.Reply = .reply(
            200,
            header: [DownloadCallTests.version],
            chunks: [Data("abc".utf8)],
            failure: .truncated
        )
        await #expect(throws: TransportError.self) {
            try await Client(transport: StubTransport(script: [broken]))
                .download(api.get(.none, from: "/f"), to: file, resume: true)
        }
    }

    /// Responds with the next byte of the rest, after this number of seconds.
    private func bytewise(taking time: Duration) -> StubTransport {
        // Its own timeouts never end on a clock that stands still. Only the call's clock advances.
        StubTransport(clock: TestClock()) { [clock] request in
            clock.advance(by: time)
            let start = request.header["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            let range = Field(name: "Content-Range", value: "bytes \(start)-\(start)/6")
            let byte = Data("abcdef".utf8.dropFirst(start).prefix(1))
            return try .stub(206, header: [DownloadCallTests.version, range], body: byte, for: request)
        }
    }

    @Test("The log has one start and one end, whatever the number of requests")
    func log() async throws {
        await leavePart()
        let client = client(bytewise(taking: .seconds(1)), retries: 2)
        try await client.download(api.get(.none, from: "/f"), to: file, resume: true)
        #expect(try Data(contentsOf: file) == Data("abcdef".utf8))
        let request = "GET https://a.example/f"
        #expect(lines.count == 6)
        #expect(lines.first?.hasPrefix("\(request) started, no body") == true)
        // The first small part may be the last. The second counts as a retry.
        let again =
            "will be sent again after 0 ms: truncated: https://a.example/f sends parts of less than "
            + "64 KiB; download the file without resume"
        let sent = ["sent", "sent after status 206", again, "sent"]
        #expect(Array(lines.dropFirst()) == sent + ["\(request) returned 206, 3 bytes after 3 s"])
        #expect(Set(events.recorded.map(\.call)).count == 1)
        #expect(failures.count == 0)
    }

    @Test(
        "A failure is reported once, at the end, wherever it comes from",
        arguments: [
            ("/404", "status: GET https://a.example/404 returned 404 (0 bytes)."),
            ("/truncated", "truncated: GET https://a.example/truncated failed because its stub replies with an error"),
            ("/unasked", nil), ("/none", nil),
        ] as [(String, String?)]
    )
    func failure(path: String, reason: String?) async {
        let transport = StubTransport(routes: [
            .get("/404", .reply(404)),
            .get("/truncated", .reply(200, chunks: [Data("abc".utf8)], failure: .truncated)),
            .get("/unasked", .reply(206, text: "abc")),
        ])
        let client = client(transport)
        await #expect(throws: (any Error).self) {
            try await client.download(api.get(.none, from: Endpoint(path: path)), to: file)
        }
        let request = "GET https://a.example\(path)"
        #expect(failures.count == 1)
        #expect(lines.first == "\(request) started, no body")
        #expect(lines.filter { $0.hasPrefix("\(request) failed after") }.count == 1)
        #expect(lines.last?.hasPrefix("\(request) failed after") == true)
        #expect(!lines.contains { $0.contains(" returned 2") })
        if let reason { #expect(failures.recorded.first?.description == "\(request): \(reason)") }
    }

    @Test("A file that can't be written is a reported failure that names it, and nothing is sent")
    func unwritable() async {
        let transport = StubTransport(script: [.reply(200)])
        let nowhere = directory.appendingPathComponent("missing/file")
        let error = await #expect(throws: ClientError.self) {
            try await client(transport).download(api.get(.none, from: "/f"), to: nowhere)
        }
        #expect(error?.code == .downloadFailed)
        let reason = "can't be written: No such file or directory."
        #expect(error?.message == "The file “\(nowhere.path)” of https://a.example/f \(reason)")
        #expect(error?.underlying != nil)
        #expect(transport.requests.isEmpty)
        #expect(failures.count == 1)
        #expect(lines.count == 2)
        #expect(lines.last?.hasPrefix("GET https://a.example/f failed after") == true)
    }

    @Test("`cancelAll` cancels a download, also while its body arrives")
    func cancelAll() async throws {
        let (body, source) = AsyncStream<Data>.makeStream()
        let (begun, progress) = AsyncStream<Void>.makeStream()
        let client = client(
            StubTransport { request in
                let head = try ResponseHead(statusCode: 200, url: request.url)
                return Response(head: head, content: ResponseBody(body))
            }
        )
        source.yield(Data("abc".utf8))
        let download = Task { [api, file] in
            try await client.download(api.get(.none, from: "/f"), to: file) { received, _ in
                if received == 3 { progress.yield() }
            }
        }
        _ = await begun.first { _ in true }
        // The body never ends, so nothing else ends the download.
        client.cancelAll()
        await #expect(throws: CancellationError.self) { try await download.value }
        #expect(failures.count == 0)
        #expect(lines.last?.contains(" was canceled after ") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
        source.finish()
    }

    @Test("All requests of a download share one total timeout")
    func deadline() async throws {
        await leavePart()
        let transport = ContextRecorder(bytewise(taking: .seconds(4)))
        try await client(transport, retries: 2).download(api.get(.none, from: "/f"), to: file, resume: true)
        #expect(transport.remaining == [.seconds(10), .seconds(6), .seconds(2)])
    }
}
