#if os(Linux)
import Foundation
import RequestsCache
import RequestsConformance
import RequestsTesting
import Synchronization
import RequestsSystem
import Testing

/// Runs parts of a test in other processes, which are this test program with another filter.
@Suite("Processes", .timeLimit(.minutes(5)))
struct ProcessTests {
    private static let name = "abc.0"
    private static let environment = ProcessInfo.processInfo.environment
    private static let job = environment["REQUESTS_CACHE_JOB"]
    private static let path = environment["REQUESTS_CACHE_FOLDER"] ?? ""

    private static func start(_ job: String, in folder: URL) throws -> Subprocess {
        var environment = environment
        environment["REQUESTS_CACHE_JOB"] = job
        environment["REQUESTS_CACHE_FOLDER"] = folder.path
        return try Subprocess(
            FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            ["--testing-library", "swift-testing", "--filter", "ProcessTests/child"],
            environment: environment
        )
    }

    @Test(
        "The part of another test that runs in its own process",
        .enabled(if: job != nil, "it is a part of another test")
    )
    func child() async throws {
        let store: any CacheStore = .directory(URL(fileURLWithPath: Self.path), bytes: 2 << 20)
        switch Self.job {
        case "write":
            for number in 0... {
                let writer = try await store.write(StoreTests.response(), to: Self.name)
                for _ in 0..<10 {
                    try await writer.append(Data(repeating: UInt8(truncatingIfNeeded: number), count: 20_000))
                    try FileHandle.standardOutput.write(contentsOf: Data([1]))
                }
                try await writer.finish(StoreTests.response().with(length: 200_000))
            }
        case "share":
            for number in 0..<300 {
                let data = Data(repeating: UInt8(truncatingIfNeeded: number), count: 1000 * (number % 200))
                try await StoreTests.write(data, to: "a\(number % 16).0", in: store)
                let read = try await StoreTests.read("a\(number * 7 % 16).0", in: store) ?? Data()
                #expect(Set(read).count <= 1)
                if number % 10 == 0 { try await store.update("a\(number % 16).0", to: nil) }
            }
        default: Issue.record("unknown job")
        }
    }

    @Test("A process that is killed while it writes leaves a whole entry or none")
    func killed() async throws {
        var unfinished = 0
        for marks in [1, 2, 5, 10, 11, 17, 24, 40] {
            let folder = StoreTests.Folder()
            let process = try Self.start("write", in: folder.url)
            var count = 0
            while count < marks, let chunk = try process.output.read(upTo: 1) {
                count += chunk == Data([1]) ? 1 : 0
            }
            process.kill()
            #expect(try process.waitUntilExit() == 128 + 9)
            let store: any CacheStore = .directory(folder.url, bytes: 2 << 20)
            let data = try await StoreTests.read(Self.name, in: store)
            #expect(data == nil || data?.count == 200_000 && Set(data ?? Data()).count == 1)
            #expect(marks <= 10 || data != nil)
            #expect(try await store.names(startingWith: "") == (data == nil ? [] : [Self.name]))
            unfinished += folder.files.count { $0.path.contains("/.") }
        }
        #expect(unfinished > 0)
    }

    @Test("Two processes that write, read and remove the same entries see only whole ones")
    func shared() async throws {
        let folder = StoreTests.Folder()
        let processes = try (0..<2).map { _ in try Self.start("share", in: folder.url) }
        for process in processes {
            let output = try process.output.readToEnd()
            #expect(try process.waitUntilExit() == 0, "\(String(decoding: output, as: UTF8.self))")
        }
        let store: any CacheStore = .directory(folder.url, bytes: 2 << 20)
        let names = try await store.names(startingWith: "")
        #expect(!names.isEmpty)
        for name in names { #expect(try await StoreTests.read(name, in: store) != nil) }
        #expect(!folder.files.contains { $0.path.contains("/.") })
    }

    /// Mounts a small file system while a test runs.
    private static func withFileSystem(_ kibibytes: Int, _ body: (URL) async throws -> Void) async throws {
        let folder = StoreTests.Folder()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let options = ["-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", folder.url.path]
        let status = (try? Subprocess.run("/bin/mount", options).status) ?? -1
        guard status == 0 else { try Test.cancel("mounting a file system needs root") }
        defer { _ = try? Subprocess.run("/bin/umount", ["-l", folder.url.path]) }
        try await body(folder.url)
    }

    @Test("A full disk fails no request, and leaves no part of a response")
    func fullDisk() async throws {
        try await Self.withFileSystem(256) { url async throws in
            let bench = CacheBench(.directory(url.appendingPathComponent("cache"), bytes: 10 << 20))
            let small = Data("small".utf8)
            let large = Data(count: 500_000)
            bench.respond { request, _ in
                .reply(200, header: [.cacheControl: "max-age=60"], data: request.url.path == "/a" ? small : large)
            }
            for _ in 0..<2 {
                #expect(try await bench.send(.get, "https://example.com/large").content == large)
                #expect(try await bench.send().content == small)
            }
            #expect(bench.requests.count == 3)
            #expect(bench.log.withLock { $0.contains { $0.contains("No space left") } })
            let files = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
            #expect(!files.contains { $0.contains("/.") })
        }
    }
}
#endif
