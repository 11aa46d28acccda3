@testable import RequestsClient
import Foundation
import RequestsTesting
import Testing

@Suite("Simultaneous downloads to one file", .timeLimit(.minutes(5)))
final class DownloadsToOnePlaceTests: DownloadSuite, Sendable {
    private let api = BaseURL("https://a.example")
    let directory: URL
    private let slow = AsyncStream<Data>.makeStream()
    private var partial: URL { directory.appendingPathComponent(".file.partial") }

    init() throws {
        directory = try Self.makeDirectory()
    }

    deinit { removeDirectory() }

    /// Responds to `/slow` when the test continues it, and to other requests at once.
    private var transport: StubTransport {
        StubTransport { [slow] request in
            let header: Header = [Field(name: "ETag", value: "\"v1\"")]
            guard request.url.path == "/slow" else {
                return try .stub(200, header: header, body: Data("at once".utf8), for: request)
            }
            let head = try ResponseHead(statusCode: 200, header: header, url: request.url)
            return Response(head: head, content: ResponseBody(slow.stream))
        }
    }

    private func client(_ transport: StubTransport) -> Client {
        var configuration = Client.Configuration()
        configuration.progressInterval = .zero
        return Client(transport: transport, configuration: configuration)
    }

    /// Starts a download that the test continues, and waits until the first bytes are written.
    private func beginSlowly(_ client: Client, resume: Bool) async -> Task<Void, any Error> {
        let (written, continuation) = AsyncStream<Int64>.makeStream()
        let download = Task<Void, any Error> { [api, file] in
            _ = try await client.download(api.get(.none, from: "/slow"), to: file, resume: resume) { received, _ in
                continuation.yield(received)
            }
        }
        slow.continuation.yield(Data("slow".utf8))
        _ = await written.first { $0 == 4 }
        return download
    }

    @Test("Only one of two downloads that start together gets the partial file")
    func claims() {
        for _ in 0..<2000 {
            let claims = Recorder<PartialFile>()
            DispatchQueue.concurrentPerform(iterations: 2) { _ in
                var partial = PartialFile(for: file, isKept: true)
                if (try? partial.claim()) == true { claims.record(partial) }
            }
            #expect(claims.count == 1)
            for claimed in claims.recorded { claimed.leave() }
            try? FileManager.default.removeItem(at: partial)
        }
    }

    @Test("Downloads have separate partial files until they end")
    func apart() async throws {
        let client = client(transport)
        let download = await beginSlowly(client, resume: false)
        try await client.download(api.get(.none, from: "/f"), to: file)
        #expect(try content() == "at once")
        slow.continuation.yield(Data("ly, and whole".utf8))
        slow.continuation.finish()
        try await download.value
        #expect(try content() == "slowly, and whole")
        #expect(try names == ["file"])
    }

    @Test("Canceled downloads leave only what can be resumed", arguments: [true, false])
    func canceled(resume: Bool) async throws {
        let download = await beginSlowly(client(transport), resume: resume)
        download.cancel()
        await #expect(throws: CancellationError.self) { try await download.value }
        #expect(try names == (resume ? [".file.partial", ".file.partial-version"] : []))
    }

    @Test("With `resume`, a second download throws without sending anything, and the first one continues")
    func locked() async throws {
        let transport = transport
        let client = client(transport)
        let download = await beginSlowly(client, resume: true)
        let error = await #expect(throws: ClientError.self) {
            try await client.download(api.get(.none, from: "/f"), to: file, resume: true)
        }
        #expect(error?.code == .downloadFailed)
        #expect(
            error?.message == "The file “\(file.path)” of https://a.example/f is already being downloaded. "
                + "Wait for that download, or don't resume."
        )
        #expect(transport.requests.count == 1)
        slow.continuation.finish()
        try await download.value
        #expect(try content() == "slow")
        try await client.download(api.get(.none, from: "/f"), to: file, resume: true)
        #expect(try content() == "at once")
        #expect(try names == ["file"])
    }

    @Test("With `resume`, a download is possible after a failed one, which leaves no empty file")
    func freed() async throws {
        let client = client(transport)
        let broken = Client(transport: StubTransport(script: [.failure(.cannotConnect)]))
        await #expect(throws: TransportError.self) {
            try await broken.download(api.get(.none, from: "/f"), to: file, resume: true)
        }
        #expect(try names == [])
        try await client.download(api.get(.none, from: "/f"), to: file, resume: true)
        #expect(try content() == "at once")
    }

    @Test("A download throws if another process changes its partial file", arguments: [true, false])
    func changed(isLonger: Bool) async throws {
        let client = client(transport)
        let error = await #expect(throws: ClientError.self) {
            try await client.download(
                api.get(.none, from: "/f"),
                to: file,
                resume: true
            ) { [partial] received, _ in
                guard received == 7, let other = try? FileHandle(forWritingTo: partial) else { return }
                try? other.truncate(atOffset: isLonger ? 9 : 0)
            }
        }
        #expect(error?.code == .downloadFailed)
        #expect(try names == [])
    }

    #if os(Linux)
    @Test("If too many files are open, a download leaves another one's partial file in place")
    func tooManyFiles() async {
        await #expect(processExitsWith: .success) {
            let directory = try DownloadsToOnePlaceTests.makeDirectory()
            defer { try? FileManager.default.removeItem(at: directory) }
            let partial = directory.appendingPathComponent(".file.partial")
            try Data("of another one".utf8).write(to: partial)
            var limit = rlimit()
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            try #require(getrlimit(resource, &limit) == 0)
            var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
            setrlimit(resource, &none)
            var claiming = PartialFile(for: directory.appendingPathComponent("file"), isKept: true)
            let error = #expect(throws: POSIXError.self) { try claiming.claim() }
            setrlimit(resource, &limit)
            try #require(error?.code == .EMFILE)
            try #require(FileManager.default.contents(atPath: partial.path) == Data("of another one".utf8))
        }
    }
    #endif
}
