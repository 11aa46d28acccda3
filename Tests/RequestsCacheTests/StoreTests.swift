import Foundation
import Requests
@testable import RequestsCache
import RequestsClient
import RequestsTesting
import Synchronization
import Testing

@Suite("Stores", .timeLimit(.minutes(2)))
struct StoreTests {
    /// A folder that is removed at the end of a test.
    final class Folder: Sendable {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("cache-\(UUID().uuidString)")

        deinit { try? FileManager.default.removeItem(at: url) }

        /// All files, with their permissions.
        var files: [(path: String, mode: Int)] {
            let paths = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
            return paths.map { path in
                let attributes = try? FileManager.default.attributesOfItem(atPath: url.path + "/" + path)
                return (path, (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0)
            }
        }

        var entries: [String] { files.map(\.path).filter { $0.hasSuffix(".0") } }
    }

    enum Kind: CaseIterable {
        case memory, directory

        func store(_ folder: Folder, bytes: Int) -> any CacheStore {
            self == .memory ? .memory(bytes) : .directory(folder.url, bytes)
        }
    }

    static func response(_ url: String = "https://example.com/a", header: Header = ["X-A": "1"]) throws
        -> HTTPCache.StoredResponse
    {
        let head = try ResponseHead(statusCode: 200, header: header, url: RequestURL(url), httpVersion: .http2)
        return HTTPCache.StoredResponse(
            head,
            ["foo": "a: b", "bar": nil],
            CacheBench.start + 0.125,
            CacheBench.start + 1
        )
    }

    static func write(_ data: Data, to name: String, in store: any CacheStore) async throws {
        var response = try response()
        let writer = try await store.write(response, to: name)
        try await writer.append(data)
        response.length = Int64(data.count)
        try await writer.finish(response)
    }

    static func read(_ name: String, in store: any CacheStore) async throws -> Data? {
        guard let entry = try await store.entry(name) else { return nil }
        return try await entry.body(0..<entry.response.length).collect(upTo: .max)
    }

    @Test("A response survives encoding")
    func coding() throws {
        let response = try Self.response(header: ["X-A": "a:b", "X-A": "", "X-B": "ü"])
        let data = try JSONEncoder().encode([response])
        #expect(try JSONDecoder().decode([HTTPCache.StoredResponse].self, from: data) == [response])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([HTTPCache.StoredResponse].self, from: Data(#"["damaged"]"#.utf8))
        }
    }

    @Test(
        "An update of a response that another request has replaced in the meantime is ignored",
        arguments: Kind.allCases
    )
    func lateUpdate(kind: Kind) async throws {
        let store = kind.store(Folder(), bytes: 1 << 20)
        try await Self.write(Data(count: 10), to: "ab-cd.0", in: store)
        let current = try await store.entry("ab-cd.0")?.response
        var late = try Self.response(header: ["X-B": "late"])
        for (length, time) in [(10, 0.5), (9, 2)] {
            late.length = Int64(length)
            late.requestTime = CacheBench.start + time
            try await store.update("ab-cd.0", to: late)
            #expect(try await store.entry("ab-cd.0")?.response == current)
        }
    }

    @Test(
        "An entry is written, updated and removed, and its body read in parts",
        arguments: Kind.allCases,
        [100, 200_000]
    )
    func lifecycle(kind: Kind, size: Int) async throws {
        let folder = Folder()
        let store = kind.store(folder, bytes: 1 << 20)
        let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0) })
        #expect(try await store.entry("ab-cd.0") == nil)
        try await Self.write(data, to: "ab-cd.0", in: store)
        #expect(try await Self.read("ab-cd.0", in: store) == data)
        let part = try await store.entry("ab-cd.0")?.body(10..<20).collect(upTo: 100)
        #expect(part == data[10..<20])
        #expect(try await store.names(startingWith: "ab-") == ["ab-cd.0"])
        #expect(try await store.names(startingWith: "") == ["ab-cd.0"])
        #expect(try await store.names(startingWith: "ac").isEmpty)
        // A longer header fits into the file's spare room, a much longer one doesn't.
        for length in [10, 10_000] {
            var update = try Self.response(header: ["X-B": String(repeating: "x", count: length)])
            update.length = Int64(size)
            (update.requestTime, update.responseTime) = (CacheBench.start + 2, CacheBench.start + 2)
            try await store.update("ab-cd.0", to: update)
            #expect(try await store.entry("ab-cd.0")?.response == update)
            #expect(try await Self.read("ab-cd.0", in: store) == data)
        }
        try await store.update("ab-cd.0", to: nil)
        #expect(try await store.entry("ab-cd.0") == nil)
    }

    @Test("The least recently used entries make room", arguments: Kind.allCases)
    func eviction(kind: Kind) async throws {
        let folder = Folder()
        let store = kind.store(folder, bytes: 100_000)
        for number in 0..<40 {
            try await Self.write(Data(count: 10_000), to: "a\(number % 10)\(number).0", in: store)
            var sum = 0
            for name in try await store.names(startingWith: "") {
                sum += try await Self.read(name, in: store)?.count ?? 0
            }
            #expect(sum <= 100_000)
            #expect(try await store.entry("a\(number % 10)\(number).0") != nil)
        }
        #expect(try await store.names(startingWith: "").count >= 5)
    }

    @Test("A body that is larger than the store is rejected while it is written", arguments: Kind.allCases)
    func tooLarge(kind: Kind) async throws {
        let folder = Folder()
        let store = kind.store(folder, bytes: 100_000)
        let writer = try await store.write(Self.response(), to: "abc.0")
        await #expect(throws: (any Error).self) {
            for _ in 0..<20 { try await writer.append(Data(count: 10_000)) }
        }
        await writer.cancel()
        #expect(folder.files.allSatisfy { $0.path.utf8.count == 2 })
        try await Self.write(Data(count: 50_000), to: "abd.0", in: store)
        #expect(try await store.entry("abd.0") != nil)
    }

    @Test("A body that is larger than the store removes no other entry", arguments: Kind.allCases)
    func tooLargeForAll(kind: Kind) async throws {
        let folder = Folder()
        let store = kind.store(folder, bytes: 100_000)
        for name in ["abd.0", "abe.0"] { try await Self.write(Data(count: 40_000), to: name, in: store) }
        await #expect(throws: (any Error).self) { try await Self.write(Data(count: 200_000), to: "abc.0", in: store) }
        #expect(try await store.names(startingWith: "").sorted() == ["abd.0", "abe.0"])
    }

    @Test("Files belong to the user alone, and contain no credentials")
    func privacy() async throws {
        let folder = Folder()
        let bench = CacheBench(.directory(folder.url, 1 << 20))
        bench.respond(
            .reply(
                200,
                header: [
                    .cacheControl: "max-age=60", "Vary": "Authorization, Cookie, X-API-Key", .setCookie: "id=S3CRET",
                ],
                text: "body"
            )
        )
        let header: Header = [.authorization: "Bearer S3CRET", .cookie: "id=S3CRET", "X-API-Key": "S3CRET"]
        for _ in 0..<2 { try await bench.send(.get, "https://example.com/a?api_key=S3CRET", header: header) }
        #expect(bench.requests.count == 1)
        #expect(folder.entries.count == 1)
        for (path, mode) in folder.files {
            let file = folder.url.path + "/" + path
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: file, isDirectory: &isFolder)
            #expect(mode == (isFolder.boolValue ? 0o700 : 0o600), "\(path)")
            if !isFolder.boolValue {
                let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
                #expect(!text.contains("S3CRET"))
            }
        }
        let mode = try FileManager.default.attributesOfItem(atPath: folder.url.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o700)
    }

    @Test("Entries survive a restart, and two processes share a folder")
    func restart() async throws {
        let folder = Folder()
        let benches = [CacheBench(.directory(folder.url, 1 << 20)), CacheBench(.directory(folder.url, 1 << 20))]
        for bench in benches {
            bench.respond(.reply(200, header: [.cacheControl: "max-age=60"], text: "body"))
            #expect(try await bench.send(header: [.authorization: "Bearer a"]).content == Data("body".utf8))
        }
        #expect(benches.map(\.requests.count) == [1, 0])
        try await benches[1].send(.post)
        #expect(try await benches[0].send(header: [.authorization: "Bearer a"]).head.cacheStatus?.kind == .miss)
    }

    @Test("Two processes that write the same entries at once leave whole entries")
    func concurrency() async throws {
        let folder = Folder()
        let stores: [any CacheStore] = (0..<2).map { _ in .directory(folder.url, 300_000) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<200 {
                        let name = "a\(number % 7).0"
                        let byte = UInt8(truncatingIfNeeded: number)
                        try await Self.write(Data(repeating: byte, count: 100 * number), to: name, in: stores[task % 2])
                        let data = try await Self.read(name, in: stores[(task + 1) % 2]) ?? Data()
                        #expect(Set(data).count <= 1)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A damaged file is a miss and is removed: every bit counts, and every length")
    func damage() async throws {
        let folder = Folder()
        let store: any CacheStore = .directory(folder.url, 1 << 20)
        try await Self.write(Data("the body".utf8), to: "abc.0", in: store)
        let file = folder.url.appendingPathComponent("ab/abc.0")
        let whole = try Data(contentsOf: file)
        for position in whole.indices {
            var damaged = whole
            damaged[position] ^= 1 << UInt8(position % 8)
            try damaged.write(to: file)
            // The spare room between the header and the body means nothing.
            guard let entry = try await store.entry("abc.0") else {
                #expect(!FileManager.default.fileExists(atPath: file.path))
                continue
            }
            #expect(whole[position] == 0 && position > 100, "\(position)")
            #expect(entry.response == (try Self.response().with(length: 8)))
        }
        for length in 0..<whole.count {
            try whole.prefix(length).write(to: file)
            #expect(try await store.entry("abc.0") == nil)
        }
        try (whole + Data([0])).write(to: file)
        #expect(try await store.entry("abc.0") == nil)
    }

    @Test("Damage in a large body fails the reader and removes the file")
    func largeDamage() async throws {
        let folder = Folder()
        let store: any CacheStore = .directory(folder.url, 1 << 20)
        try await Self.write(Data(count: 200_000), to: "abc.0", in: store)
        let file = folder.url.appendingPathComponent("ab/abc.0")
        var damaged = try Data(contentsOf: file)
        damaged[150_000] = 1
        try damaged.write(to: file)
        await #expect(throws: TransportError.self) { _ = try await Self.read("abc.0", in: store) }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("A process that ends while it writes leaves no entry")
    func unfinished() async throws {
        let folder = Folder()
        let store: any CacheStore = .directory(folder.url, 1 << 20)
        let writer = try await store.write(Self.response(), to: "abc.0")
        try await writer.append(Data(count: 1000))
        let other: any CacheStore = .directory(folder.url, 1 << 20)
        #expect(try await other.entry("abc.0") == nil)
        #expect(try await other.names(startingWith: "").isEmpty)
        await writer.cancel()
        #expect(folder.files.map(\.path) == ["ab"])
    }

    @Test("A folder that can't be written is reported, and requests go on")
    func unwritable() async throws {
        let folder = Folder()
        try Data().write(to: folder.url)
        let bench = CacheBench(.directory(folder.url, 1 << 20))
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60"], text: "body"))
        for _ in 0..<2 { #expect(try await bench.send().content == Data("body".utf8)) }
        #expect(bench.log.withLock { $0.contains { $0.contains("File exists") || $0.contains("Not a directory") } })
    }

    @Test(
        "Names that aren't an entry's never leave the folder",
        arguments: ["../a", "a/b", "", "..", ".a", "A0", "a.0"]
    )
    func names(name: String) async throws {
        let folder = Folder()
        let store: any CacheStore = .directory(folder.url, 1 << 20)
        #expect(try await store.entry(name) == nil)
        await #expect(throws: (any Error).self) { try await store.write(Self.response(), to: name) }
    }
}

extension HTTPCache.StoredResponse {
    func with(length: Int64) -> Self {
        var copy = self
        copy.length = length
        return copy
    }
}
