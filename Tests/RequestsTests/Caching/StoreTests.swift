import Foundation
import RequestsTesting
import Testing

@testable import RequestsCache

@Suite("Stores", .timeLimit(.minutes(5)))
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
            self == .memory ? .memory(bytes: bytes) : .directory(folder.url, bytes: bytes)
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

    @Test("Listing in memory uses no entry, so the least recently used ones still make room")
    func listing() async throws {
        let store: any CacheStore = .memory(bytes: 100_000)
        for number in 0..<8 { try await Self.write(Data(count: 10_000), to: "a\(number).0", in: store) }
        let cache = HTTPCache(store)
        #expect(try await cache.responses().count == 8)
        try await cache.removeResponses(startingWith: "https://other.example.com/")
        try await Self.write(Data(count: 30_000), to: "a8.0", in: store)
        #expect(try await store.names(startingWith: "").sorted() == (3..<9).map { "a\($0).0" })
    }

    @Test("Listing a folder uses no entry, and reading a body does")
    func listingFolder() async throws {
        let folder = Folder()
        let store: any CacheStore = .directory(folder.url, bytes: 100_000)
        try await Self.write(Data(count: 10), to: "abc.0", in: store)
        let file = folder.url.appendingPathComponent("ab/abc.0").path
        let old = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: file)
        let modified = { try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date }
        #expect(try await HTTPCache(store).responses().count == 1)
        #expect(try modified() == old)
        _ = try await Self.read("abc.0", in: store)
        #expect(try modified() != old)
    }

    @Test("A body that is larger than the store is rejected while it is written", arguments: Kind.allCases)
    func tooLarge(kind: Kind) async throws {
        let folder = Folder()
        let store = kind.store(folder, bytes: 100_000)
        do {
            let writer = try await store.write(Self.response(), to: "abc.0")
            await #expect(throws: (any Error).self) {
                for _ in 0..<20 { try await writer.append(Data(count: 10_000)) }
            }
        }
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

    // MARK: Room in a folder

    @Test("The files are counted after the first entry, and then in the background before the room is used up")
    func background() throws {
        var room = CacheSpace(1600)
        #expect(try room.add(10) == .inBackground)
        #expect(try room.add(10) == .notNow)
        room.note(500, since: 10)
        #expect(try (0..<9).map { _ in try room.add(10) } == Array(repeating: .notNow, count: 9))
        #expect(try room.add(10) == .inBackground)
        #expect(try room.add(10) == .notNow)
    }

    @Test("What is completed while the files are counted isn't forgotten")
    func meanwhile() throws {
        var room = CacheSpace(1600)
        _ = try room.add(10)
        // 1500 bytes were found, and 90 more are written before the count ends.
        _ = try room.add(90)
        room.note(1500, since: 10)
        #expect(try room.add(11) == .immediately)
    }

    @Test("An entry for which there is no room waits until the files are counted")
    func full() throws {
        var room = CacheSpace(1600)
        _ = try room.add(10)
        room.note(1590, since: 10)
        #expect(try room.add(11) == .immediately)
        #expect(throws: POSIXError.self) { try room.add(1601) }
    }

    @Test("Bodies that are written at the same time share the room")
    func bodies() throws {
        var room = CacheSpace(100)
        try room.reserve(60)
        #expect(throws: POSIXError.self) { try room.reserve(41) }
        try room.reserve(40)
        room.release(60)
        try room.reserve(60)
    }
}

extension HTTPCache.StoredResponse {
    func with(length: Int64) -> Self {
        var copy = self
        copy.length = length
        return copy
    }
}
