#if os(Linux) || os(macOS)
import Foundation
import RequestsConformance
import RequestsCurl
import RequestsSystem
import RequestsTestSupport
import RequestsTesting
import Testing

@testable import RequestsUploads

/// The tus server of `Tests/Fixtures/tus_server.py`, which runs tuspyserver.
final class TusServer: Sendable {
    static let python = ProcessInfo.processInfo.environment["REQUESTS_TUS_PYTHON"]
    static let absence: Comment = "REQUESTS_TUS_PYTHON is not set; scripts/test sets it"

    let port: String
    private let process: Subprocess

    /// - Parameters:
    ///   - folder: Where the uploads are.
    ///   - cuts: The numbers of bytes after which a connection breaks.
    ///   - end: The number of bytes after which the server shuts down.
    ///   - space: The maximum size of a file.
    init(_ folder: URL, port: String = "0", cuts: [Int] = [], end: Int = 0, space: Int = 0) throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let script = tests.appending(path: "../../Fixtures/tus_server.py")
        let numbers = cuts.map(String.init).joined(separator: ",")
        process = try Subprocess(
            try #require(TusServer.python),
            [script.standardizedFileURL.path, folder.path, port, numbers, "\(end)", "\(space)"]
        )
        var line = ""
        while !line.hasSuffix("\n"), let data = try process.output.read(upTo: 16) {
            line += String(decoding: data, as: UTF8.self)
        }
        self.port = String(line.dropLast())
    }

    deinit {
        process.closeInput()
        _ = try? process.waitUntilExit()
    }

    func waitUntilExit() throws { _ = try process.waitUntilExit() }
}

/// Uploads of a file of 64 MiB to a server that others have written.
@Suite(
    "Uploads to tuspyserver",
    .serialized,
    .enabled(if: TusServer.python != nil, TusServer.absence),
    .timeLimit(.minutes(5))
)
final class TusServerTests: Sendable {
    private static let size = 64 << 20
    private let folder: URL
    private let file: URL
    private let content: Data

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tus-\(UUID())")
        file = folder.appending(path: "video")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "files"),
            withIntermediateDirectories: true
        )
        var random = SplitMix64(seed: 75)
        let block = Data((0..<65_537).map { _ in UInt8.random(in: 0...255, using: &random) })
        var all = Data(capacity: Self.size + block.count)
        while all.count < Self.size { all += block }
        content = all.prefix(Self.size)
        try content.write(to: file)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private var files: URL { folder.appending(path: "files") }
    private var state: URL { folder.appending(path: "state") }

    /// The uploads of the server, in the order of their creation.
    private func uploads() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: files, includingPropertiesForKeys: [.creationDateKey])
            .filter { $0.pathExtension.isEmpty && !$0.lastPathComponent.hasPrefix(".") }
    }

    private func uploaded() throws -> [Data] { try uploads().map { try Data(contentsOf: $0) } }

    /// Changes what the server has stored about its only upload.
    private func changeInfo(_ change: (inout [String: Any]) -> Void) throws {
        let info = try #require(try uploads().first).appendingPathExtension("info")
        var members = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: info)) as? [String: Any])
        change(&members)
        try JSONSerialization.data(withJSONObject: members).write(to: info)
    }

    private func client(_ retries: RetryPolicy = .fixed(.milliseconds(20), limit: 1000)) throws -> Client {
        var client = Client(transport: try CurlTransport())
        client.configuration.retries = retries
        return client
    }

    private func request(_ server: TusServer) throws -> Request<BaseURL, Data> {
        let api = BaseURL(try #require(URL(string: "http://127.0.0.1:\(server.port)")))
        return api.post(.file(file), to: "/files/", receiving: .data)
    }

    private let metadata: UploadMetadata = ["filename": "video.mp4", "filetype": "video/mp4"]

    private var cuts: [Int] {
        var random = SplitMix64(seed: 7)
        return (0..<5).map { _ in Int.random(in: 1..<Self.size, using: &random) }
    }

    @Test("A small body arrives, although a server that announces to take it with the creation may not")
    func smallBody() async throws {
        let server = try TusServer(files)
        let api = BaseURL(try #require(URL(string: "http://127.0.0.1:\(server.port)")))
        let small = content.prefix(10_000)
        let response = try await client().upload(
            api.post(.raw(data: small), to: "/files/", receiving: .data),
            metadata: metadata
        )
        #expect(response.url.path.hasPrefix("/files/"))
        #expect(try uploaded() == [small])
    }

    @Test("A file arrives once and whole, although its connection breaks 5 times", arguments: [nil, 6 << 20])
    func cutConnections(partSize: Int64?) async throws {
        let server = try TusServer(files, cuts: cuts)
        let reports = Locked<[Int64]>([])
        let retries = Locked(0)
        var client = try client()
        client.configuration.log = LogDestination { event in
            if case .retrying = event.kind { retries.withLock { $0 += 1 } }
        }
        let response = try await client.upload(
            request(server),
            metadata: metadata,
            partSize: partSize
        ) { sent, _ in reports.withLock { $0.append(sent) } }
        #expect(response.url.path.hasPrefix("/files/"))
        #expect(try uploaded() == [content])
        let sent = reports.withLock { $0 }
        #expect(sent == sent.sorted())
        #expect(sent.last == Int64(Self.size))
        #expect(retries.withLock { $0 } >= 5)
    }

    @Test("An upload continues after the program and the server have started again")
    func restarted() async throws {
        let first = try TusServer(files, end: 20 << 20)
        await #expect(throws: TransportError.self) {
            try await client(.never).upload(request(first), metadata: metadata, state: state)
        }
        try first.waitUntilExit()
        let stored = try #require(try uploaded().first).count
        #expect(stored > 10 << 20 && stored <= 20 << 20)
        let second = try TusServer(files, port: first.port)
        _ = try await client().upload(request(second), metadata: metadata, state: state)
        #expect(try uploaded() == [content])
        #expect(!FileManager.default.fileExists(atPath: state.path))
    }

    @Test("An upload that expires starts again")
    func expired() async throws {
        let server = try TusServer(files)
        var client = try client()
        client.configuration.attemptMiddleware = [
            Before(.patch, number: 2) { try self.changeInfo { $0["expires"] = "Mon, 02 Jan 2006 15:04:05 GMT" } }
        ]
        _ = try await client.upload(request(server), metadata: metadata, partSize: 24 << 20)
        #expect(try uploaded().map(\.count).sorted() == [24 << 20, Self.size])
        #expect(try uploaded().contains(content))
    }

    @Test("An upload ends if the server has lost bytes that it had confirmed")
    func lostBytes() async throws {
        let server = try TusServer(files)
        var client = try client()
        client.configuration.attemptMiddleware = [
            Before(.patch, number: 3) {
                let size = 15 << 20
                try FileHandle(forWritingTo: try #require(try self.uploads().first)).truncate(atOffset: UInt64(size))
                try self.changeInfo { $0["offset"] = size }
            }
        ]
        await #expect {
            _ = try await client.upload(self.request(server), metadata: self.metadata, partSize: 8 << 20)
        } throws: { error in
            "\(error)".contains("the server had 16777216 bytes, and now has 15728640")
        }
        // The upload was canceled.
        #expect(try uploads().isEmpty)
    }

    @Test("An upload ends if the server has no space")
    func noSpace() async throws {
        let server = try TusServer(files, space: 10 << 20)
        let client = try client(.fixed(.zero, limit: 3))
        await #expect {
            try await client.upload(self.request(server), metadata: self.metadata)
        } throws: { error in
            "\(error)".contains("isn't accepted: the server has twice taken only a part of what it received")
        }
    }

    @Test("A stream of unknown length arrives whole, although its connection breaks 5 times")
    func stream() async throws {
        let server = try TusServer(files, cuts: cuts)
        let content = content
        let chunks = AsyncStream<Data> { continuation in
            for start in stride(from: 0, to: content.count, by: 1 << 20) {
                continuation.yield(content[start..<min(start + 1 << 20, content.count)])
            }
            continuation.finish()
        }
        let api = BaseURL(try #require(URL(string: "http://127.0.0.1:\(server.port)")))
        let request = api.post(.chunks(chunks), to: "/files/", receiving: .data)
        _ = try await client().upload(request, metadata: metadata, partSize: 4 << 20)
        #expect(try uploaded() == [content])
    }

    /// Does something before a request.
    private struct Before: Middleware {
        private let method: HTTPMethod
        private let number: Int
        private let count = Count()
        private let action: @Sendable () throws -> Void

        private final class Count: Sendable { let value = Locked(0) }

        init(_ method: HTTPMethod, number: Int, _ action: @escaping @Sendable () throws -> Void) {
            (self.method, self.number, self.action) = (method, number, action)
        }

        func intercept(
            _ request: PreparedRequest,
            context: CallContext,
            next: @escaping Next
        ) async throws -> Response<ResponseBody> {
            if request.method == method {
                let isDue = count.value.withLock { value in
                    value += 1
                    return value == number
                }
                if isDue { try action() }
            }
            return try await next(request)
        }
    }
}
#endif
