import Foundation
import RequestsTesting
import Testing

@testable import RequestsCache

@Suite("Updates of stored responses", .timeLimit(.minutes(5)))
struct UpdatingTests {
    @Test(
        "RFC 9111 §4.3.4: a 304 whose tag is weaker or stronger than the stored one makes the response fresh",
        arguments: [("W/\"a\"", "\"a\""), ("\"a\"", "W/\"a\"")]
    )
    func weakTags(stored: String, confirmed: String) async throws {
        let folder = StoreTests.Folder()
        for kind in StoreTests.Kind.allCases {
            let bench = CacheBench(kind.store(folder, bytes: 1 << 20))
            bench.respond(
                .reply(200, header: [.cacheControl: "max-age=1", "ETag": stored], text: "body"),
                .reply(304, header: [.cacheControl: "max-age=60", "ETag": confirmed])
            )
            try await bench.send()
            bench.pass(10)
            #expect(try await bench.send().head.cacheStatus?.kind == .revalidated)
            #expect(try await bench.send().head.cacheStatus?.kind == .hit)
            #expect(bench.requests.count == 2)
        }
    }

    @Test("The caller gets the fields about authentication of a 304 once")
    func authenticationInfo() async throws {
        let bench = CacheBench()
        bench.respond(
            .reply(200, header: [.cacheControl: "max-age=1", "ETag": "\"a\""], text: "body"),
            .reply(304, header: ["ETag": "\"a\"", "Authentication-Info": "nextnonce=\"n\"", .setCookie: "a=1"])
        )
        try await bench.send()
        bench.pass(10)
        let header = try await bench.send().head.header
        #expect(header[values: "Authentication-Info"] == ["nextnonce=\"n\""])
        #expect(header[values: .setCookie] == ["a=1"])
    }

    /// A store that can't remove one of its entries.
    private final class StubbornStore: CacheStore {
        let store = HTTPCache.MemoryStore.memory(bytes: 1 << 20)
        let removals = Locked(0)

        var size: Int64 { store.size }

        func key() -> Data { store.key() }

        func entry(_ name: String) -> HTTPCache.Entry? { store.entry(name) }

        func names(startingWith prefix: String) -> [String] { store.names(startingWith: prefix) }

        func write(_ response: HTTPCache.StoredResponse, to name: String) -> any CacheWriter {
            store.write(response, to: name)
        }

        func update(_ name: String, to response: HTTPCache.StoredResponse?) throws {
            // Only a removal of an entry counts.
            guard store.entry(name) != nil else { return }
            let isFirst = removals.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { throw POSIXError(.EACCES) }
            store.update(name, to: response)
        }
    }

    static let newer: [(reply: StubTransport.Reply, isRemoved: Bool)] = [
        (.reply(200, header: [.cacheControl: "no-store"], text: "v2"), true), (.reply(403), true), (.reply(302), true),
        (.reply(500), false), (.reply(503), false), (.reply(429), false), (.reply(401), false), (.reply(416), false),
        (.failure(.closed), false),
    ]

    @Test("A newer response that isn't stored removes the older one, unless it is a failure", arguments: newer.indices)
    func newerResponse(index: Int) async throws {
        let (reply, isRemoved) = Self.newer[index]
        let bench = CacheBench()
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60"], text: "v1"), reply, .reply(200, text: "v3"))
        try await bench.send()
        _ = try? await bench.send(policy: .reloadIgnoringLocalCacheData)
        #expect(try await bench.send().content == Data((isRemoved ? "v3" : "v1").utf8))
    }

    @Test("RFC 9111 §4.4: a response that was requested before a write isn't stored after it")
    func writtenMeanwhile() async throws {
        let (reads, didRead) = AsyncStream.makeStream(of: Void.self)
        let (writes, didWrite) = AsyncStream.makeStream(of: Void.self)
        let written = Task { for await _ in writes {} }
        let stub = StubTransport { request in
            guard request.method == .get else { return try .stub(204, for: request) }
            didRead.yield()
            await written.value
            return try .stub(200, header: [.cacheControl: "max-age=60"], body: Data("old".utf8), for: request)
        }
        let cache = HTTPCache(.memory(bytes: 1 << 20))
        var configuration = Client.Configuration()
        configuration.cache = cache
        let client = Client(transport: stub, configuration: configuration)
        let read = Task { try await client.send(CacheBench.request()) }
        for await _ in reads { break }
        _ = try await client.send(CacheBench.request(.put))
        didWrite.finish()
        #expect(try await read.value == Data("old".utf8))
        #expect(try await cache.responses().isEmpty)
        // A read that begins after the write is stored.
        _ = try await client.send(CacheBench.request())
        #expect(try await cache.responses().count == 1)
    }

    @Test("A response that was requested earlier never replaces a newer one, stored or not", arguments: [true, false])
    func overtaken(isStored: Bool) async throws {
        let cache = HTTPCache(.memory(bytes: 1 << 20))
        let number = Locked(0)
        let newer = Locked<Client?>(nil)
        let stub = StubTransport { request in
            let count = number.withLock { number in
                number += 1
                return number
            }
            guard count == 1 else {
                let control = isStored ? "max-age=60" : "no-store"
                return try .stub(200, header: [.cacheControl: control], body: Data("v2".utf8), for: request)
            }
            // The newer request begins and ends before the response to the first one.
            _ = try await newer.withLock { $0 }?.send(CacheBench.request())
            return try .stub(200, header: [.cacheControl: "max-age=600"], body: Data("v1".utf8), for: request)
        }
        var client = Client(transport: stub)
        client.configuration.cache = cache
        newer.withLock { [client] in $0 = client }
        #expect(try await client.send(CacheBench.request()) == Data("v1".utf8))
        #expect(try await client.send(CacheBench.request()) == Data("v2".utf8))
    }

    @Test("A newer response that is too large for the store removes the older one")
    func tooLarge() async throws {
        let bench = CacheBench(.memory(bytes: 10_000))
        let header: Header = [.cacheControl: "max-age=60"]
        bench.respond(
            .reply(200, header: header, text: "v1"),
            .reply(200, header: header, data: Data(count: 20_000)),
            .reply(200, text: "v3")
        )
        try await bench.send()
        try await bench.send(policy: .reloadIgnoringLocalCacheData)
        #expect(try await bench.send().content == Data("v3".utf8))
    }

    @Test("A removed variant brings no older one back")
    func holes() async throws {
        let bench = CacheBench()
        let header: Header = [.cacheControl: "max-age=60", "Vary": "Accept-Language"]
        bench.respond { request, number in
            let isLast = number == 3 || number == 5
            return .reply(200, header: isLast ? [.cacheControl: "no-store"] : header, text: "\(number)")
        }
        func send(_ language: String, _ policy: CachePolicy? = nil) async throws -> String {
            let response = try await bench.send(header: ["Accept-Language": language], policy: policy)
            return String(decoding: response.content, as: UTF8.self)
        }
        let reload: CachePolicy? = .reloadIgnoringLocalCacheData
        for (language, policy) in [("en", nil), ("de", nil), ("en", reload), ("de", nil), ("de", reload)] {
            _ = try await send(language, policy)
        }
        #expect(try await send("fr") == "6")
        #expect(try await send("de") == "7")
    }

    @Test("A 304 to a request without a condition confirms nothing")
    func unconditional() async throws {
        let bench = CacheBench()
        let header: Header = [.cacheControl: "max-age=5", "X-A": "1"]
        bench.respond(.reply(200, header: header, text: "v1"), .reply(304, header: ["X-A": "2"]))
        try await bench.send()
        bench.pass(10)
        #expect(try await bench.send().head.statusCode == 304)
        #expect(try await bench.cache.responses().map { $0.header["X-A"] } == ["1"])
    }

    @Test("A request with no-store changes nothing that is stored", arguments: [200, 304, 403])
    func noStore(status: Int) async throws {
        let bench = CacheBench()
        let header: Header = [.cacheControl: "max-age=5", .eTag: "\"a\"", "X-A": "1"]
        bench.respond(.reply(200, header: header, text: "v1"), .reply(status, header: [.eTag: "\"a\"", "X-A": "2"]))
        try await bench.send()
        bench.pass(10)
        try await bench.send(header: [.cacheControl: "no-store"])
        let stored = try await bench.cache.responses()
        #expect(stored.map { $0.header["X-A"] } == ["1"])
    }

    @Test("RFC 9111 §4.4: an entry that can't be removed doesn't keep the others")
    func failingRemoval() async throws {
        let store = StubbornStore()
        let bench = CacheBench(store)
        let stored = StubTransport.Reply.reply(200, header: [.cacheControl: "max-age=60"], text: "old")
        bench.respond(stored, stored, .reply(204, header: ["Location": "/b"]), .reply(200, text: "new"))
        try await bench.send(.get, "https://example.com/a")
        try await bench.send(.get, "https://example.com/b")
        try await bench.send(.post, "https://example.com/a")
        #expect(store.removals.withLock { $0 } == 2)
        #expect(try await bench.send(.get, "https://example.com/b").content == Data("new".utf8))
    }

    @Test("Updates of one file at once, longer and shorter ones, leave a whole entry")
    func concurrentUpdates() async throws {
        let folder = StoreTests.Folder()
        let stores: [any CacheStore] = (0..<2).map { _ in .directory(folder.url, bytes: 1 << 20) }
        try await StoreTests.write(Data("body".utf8), to: "abc.0", in: stores[0])
        let stored = try #require(try await stores[0].entry("abc.0")?.response)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<200 {
                        var update = stored
                        update.requestTime = stored.responseTime
                        update.header["X-A"] = String(repeating: "x", count: (number * 37 + task * 101) % 900)
                        // An update that another one locks out is dropped.
                        try? await stores[task % 2].update("abc.0", to: update)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await StoreTests.read("abc.0", in: stores[0]) == Data("body".utf8))
    }

    @Test("An entry of a folder that can't be removed is an error")
    func unremovable() async throws {
        let folder = StoreTests.Folder()
        let store: any CacheStore = .directory(folder.url, bytes: 1 << 20)
        let path = folder.url.appendingPathComponent("ab/abc.0").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        await #expect(throws: POSIXError.self) { try await store.update("abc.0", to: nil) }
        // An entry that is already gone is removed.
        try await store.update("abd.0", to: nil)
    }
}
