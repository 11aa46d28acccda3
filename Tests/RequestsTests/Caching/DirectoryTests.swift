import Foundation
import RequestsCache
import RequestsSystem
import RequestsTesting
import Synchronization
import Testing

@Suite("Directories", .timeLimit(.minutes(5)))
struct DirectoryTests {
    @Test("Files belong to the user alone, and contain no credentials")
    func privacy() async throws {
        let folder = StoreTests.Folder()
        let bench = CacheBench(.directory(folder.url, bytes: 1 << 20))
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
        let benches = (1...2).map { _ in CacheBench(.directory(folder.url, bytes: 1 << 20)) }
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
        let stores: [any CacheStore] = (0..<2).map { _ in .directory(folder.url, bytes: 300_000) }
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
        let store: any CacheStore = .directory(folder.url, bytes: 1 << 20)
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

    @Test("Damage in a large body fails the reader of its piece, also of a range, and removes the file")
    func largeDamage() async throws {
        let folder = StoreTests.Folder()
        let store: any CacheStore = .directory(folder.url, bytes: 1 << 20)
        let file = folder.url.appendingPathComponent("ab/abc.0")
        for range in [0..<Int64(200_000), 150_000..<150_001, 149_000..<149_010] {
            try await StoreTests.write(Data(count: 200_000), to: "abc.0", in: store)
            var damaged = try Data(contentsOf: file)
            damaged[150_000] = 1
            try damaged.write(to: file)
            let entry = try #require(try await store.entry("abc.0"))
            #expect(try await entry.body(0..<70_000).collect(upTo: .max) == Data(count: 70_000))
            let body = try await entry.body(range)
            let error = await #expect(throws: TransportError.self) { try await body.collect(upTo: .max) }
            #expect(error?.code == .damaged)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test("A damaged body is noticed while it is read, and the request is sent again")
    func resent() async throws {
        let folder = StoreTests.Folder()
        let bench = CacheBench(.directory(folder.url, bytes: 1 << 20))
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60"], data: Data(count: 200_000)))
        try await bench.send()
        let file = folder.url.appendingPathComponent(try #require(folder.entries.first))
        var damaged = try Data(contentsOf: file)
        damaged[150_000] = 1
        try damaged.write(to: file)
        let response = try await bench.send()
        #expect(response.content == Data(count: 200_000))
        #expect(bench.requests.count == 2)
    }

    @Test("A file is only believed under its own name, and nothing waits for a pipe or a lock")
    func foreignFiles() async throws {
        let folder = StoreTests.Folder()
        let store: any CacheStore = .directory(folder.url, bytes: 1 << 20)
        for name in ["abc.0", "abd.0"] { try await StoreTests.write(Data(name.utf8), to: name, in: store) }
        let (first, second) = (folder.url.path + "/ab/abc.0", folder.url.path + "/ab/abd.0")
        // A lock of another process.
        let locked = try OpenFile(second, O_RDWR)
        #expect(flock(locked.descriptor, LOCK_EX) == 0)
        await #expect(throws: POSIXError.self) { try await store.update("abd.0", to: StoreTests.response()) }
        try #require(unsafe rename(second, first) == 0)
        #expect(try await store.entry("abc.0") == nil)
        try #require(unsafe mkfifo(first, 0o600) == 0)
        #expect(try await store.entry("abc.0") == nil)
    }

    @Test("A folder that others can change isn't used", arguments: [0o777, 0o770])
    func unsafeFolder(mode: Int) async throws {
        let folder = StoreTests.Folder()
        let bench = CacheBench(.directory(folder.url, bytes: 1 << 20))
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60"]))
        try await bench.send()
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.url.path)
        let other = CacheBench(.directory(folder.url, bytes: 1 << 20))
        other.respond(.reply(200, header: [.cacheControl: "max-age=60"]))
        for bench in [bench, other] {
            let count = bench.requests.count
            #expect(try await bench.send().head.cacheStatus?.kind == .miss)
            #expect(bench.requests.count == count + 1)
            #expect(bench.log.withLock { $0.contains { $0.contains("not permitted") } })
        }
    }

    @Test("Files of others in the folder stay, and half written ones are removed when they are old")
    func otherFiles() async throws {
        let folder = StoreTests.Folder()
        let store: any CacheStore = .directory(folder.url, bytes: 100_000)
        try await StoreTests.write(Data(count: 10), to: "abc.0", in: store)
        let others = ["key", "ab/.bashrc", "ab/.1", "ab/2024-01-01", "ab/cdef01", "ab/acd.0"]
        let own = ["ab/.requests-1", ".requests-2", "ab/abd.0"]
        let paths = (others + own).map { folder.url.path + "/" + $0 }
        let old = Date(timeIntervalSince1970: 1_000_000_000)
        for path in paths {
            try Data("own".utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path)
        }
        for number in 0..<15 { try await StoreTests.write(Data(count: 10_000), to: "b\(number).0", in: store) }
        try await HTTPCache(store).removeResponses()
        #expect(paths.map(FileManager.default.fileExists) == Array(repeating: true, count: 6) + [false, false, false])
        #expect(try await store.names(startingWith: "").isEmpty)
    }

    @Test("A file whose date is in the future makes room first")
    func future() async throws {
        let folder = StoreTests.Folder()
        let store: any CacheStore = .directory(folder.url, bytes: 100_000)
        for number in 0..<8 { try await StoreTests.write(Data(count: 10_000), to: "a\(number).0", in: store) }
        let path = folder.url.path + "/a7/a7.0"
        let future = Date(timeIntervalSinceNow: 1e9)
        try FileManager.default.setAttributes([.modificationDate: future], ofItemAtPath: path)
        for number in 0..<4 { try await StoreTests.write(Data(count: 10_000), to: "b\(number).0", in: store) }
        #expect(try await store.entry("a7.0") == nil)
        #expect(try await store.entry("b3.0") != nil)
    }

    @Test("Stores that start at the same time have one key, and a damaged key is replaced")
    func key() async throws {
        let folder = StoreTests.Folder()
        for _ in 0..<20 {
            let keys = try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<4 { group.addTask { try HTTPCache.DirectoryStore.directory(folder.url, bytes: 1).key() } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(keys.count == 1)
            #expect(keys.first?.count == 32)
            try Data("short".utf8).write(to: folder.url.appendingPathComponent("requests-key"))
        }
    }

    @Test("A process that ends while it writes leaves no entry")
    func unfinished() async throws {
        let folder = StoreTests.Folder()
        let store: any CacheStore = .directory(folder.url, bytes: 1 << 20)
        do {
            let writer = try await store.write(StoreTests.response(), to: "abc.0")
            try await writer.append(Data(count: 1000))
            let other: any CacheStore = .directory(folder.url, bytes: 1 << 20)
            #expect(try await other.entry("abc.0") == nil)
            #expect(try await other.names(startingWith: "").isEmpty)
            try await writer.append(Data(count: 1000))
        }
        #expect(folder.files.map(\.path) == ["ab"])
    }

    @Test("A folder that can't be written is reported, and requests go on")
    func unwritable() async throws {
        let folder = StoreTests.Folder()
        try Data().write(to: folder.url)
        let bench = CacheBench(.directory(folder.url, bytes: 1 << 20))
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
        let store: any CacheStore = .directory(folder.url, bytes: 1 << 20)
        await #expect(throws: POSIXError.self) { try await store.entry(name) }
        await #expect(throws: (any Error).self) { try await store.write(StoreTests.response(), to: name) }
    }
}
