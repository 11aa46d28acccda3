import Foundation
import Requests
import RequestsCache
import RequestsClient
import RequestsTesting
import Synchronization
import Testing

@Suite("Directories", .timeLimit(.minutes(2)))
struct DirectoryTests {
    @Test("Files belong to the user alone, and contain no credentials")
    func privacy() async throws {
        let folder = StoreTests.Folder()
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
        let folder = StoreTests.Folder()
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
        let folder = StoreTests.Folder()
        let stores: [any CacheStore] = (0..<2).map { _ in .directory(folder.url, 300_000) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<200 {
                        let name = "a\(number % 7).0"
                        let byte = UInt8(truncatingIfNeeded: number)
                        try await StoreTests.write(
                            Data(repeating: byte, count: 100 * number),
                            to: name,
                            in: stores[task % 2]
                        )
                        let data = try await StoreTests.read(name, in: stores[(task + 1) % 2]) ?? Data()
                        #expect(Set(data).count <= 1)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A damaged file is a miss and is removed: every bit counts, and every length")
    func damage() async throws {
        let folder = StoreTests.Folder()
        let store: any CacheStore = .directory(folder.url, 1 << 20)
        try await StoreTests.write(Data("the body".utf8), to: "abc.0", in: store)
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
            #expect(entry.response == (try StoreTests.response().with(length: 8)))
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
        let folder = StoreTests.Folder()
        let store: any CacheStore = .directory(folder.url, 1 << 20)
        try await StoreTests.write(Data(count: 200_000), to: "abc.0", in: store)
        let file = folder.url.appendingPathComponent("ab/abc.0")
        var damaged = try Data(contentsOf: file)
        damaged[150_000] = 1
        try damaged.write(to: file)
        await #expect(throws: TransportError.self) { _ = try await StoreTests.read("abc.0", in: store) }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("A process that ends while it writes leaves no entry")
    func unfinished() async throws {
        let folder = StoreTests.Folder()
        let store: any CacheStore = .directory(folder.url, 1 << 20)
        let writer = try await store.write(StoreTests.response(), to: "abc.0")
        try await writer.append(Data(count: 1000))
        let other: any CacheStore = .directory(folder.url, 1 << 20)
        #expect(try await other.entry("abc.0") == nil)
        #expect(try await other.names(startingWith: "").isEmpty)
        await writer.cancel()
        #expect(folder.files.map(\.path) == ["ab"])
    }

    @Test("A folder that can't be written is reported, and requests go on")
    func unwritable() async throws {
        let folder = StoreTests.Folder()
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
        let folder = StoreTests.Folder()
        let store: any CacheStore = .directory(folder.url, 1 << 20)
        #expect(try await store.entry(name) == nil)
        await #expect(throws: (any Error).self) { try await store.write(StoreTests.response(), to: name) }
    }
}
