import RequestsCache
import RequestsTesting
import Synchronization
import Testing

@Suite("Bodies", .timeLimit(.minutes(5)))
struct BodyTests {
    static let header: Header = [.cacheControl: "max-age=60"]

    @Test(
        "A body that breaks off or isn't as long as announced isn't stored",
        arguments: [
            StubTransport.Reply.reply(200, header: header, chunks: [Data("12".utf8)], failure: .truncated),
            .reply(200, header: header.adding(.contentLength, "3"), text: "12"),
        ].indices
    )
    func incomplete(index: Int) async throws {
        let bench = CacheBench()
        let broken: StubTransport.Reply =
            index == 0
            ? .reply(200, header: Self.header, chunks: [Data("12".utf8)], failure: .truncated)
            : .reply(200, header: Self.header.adding(.contentLength, "3"), text: "12")
        bench.respond(broken, .reply(200, header: Self.header, text: "123"))
        _ = try? await bench.send()
        #expect(try await bench.cache.responses().isEmpty)
        #expect(try await bench.send().content == Data("123".utf8))
    }

    @Test("A body that the caller drops isn't stored, and the next request is sent")
    func dropped() async throws {
        let bench = CacheBench()
        let chunks = (0..<200).map { _ in Data(count: 64 << 10) }
        bench.respond(.reply(200, header: Self.header, chunks: chunks), .reply(200, header: Self.header, text: "new"))
        let client = bench.client()
        var response: Response<ResponseBody>? = try await client.stream(CacheBench.request())
        for try await _ in try #require(response).content { break }
        response?.content.cancel()
        response = nil
        #expect(try await client.send(CacheBench.request()) == Data("new".utf8))
    }

    @Test("A body streams through the cache: the reader's pace limits the transport", arguments: [true, false])
    func backPressure(isStored: Bool) async throws {
        let sent = Mutex(0)
        let chunks = AsyncStream<Data>(unfolding: {
            sent.withLock {
                $0 += 1; return $0 <= 500 ? Data(count: 64 << 10) : nil
            }
        })
        let transport = StubTransport { request in
            Response(
                head: try ResponseHead(statusCode: 200, header: isStored ? Self.header : [], url: request.url),
                content: ResponseBody(chunks)
            )
        }
        var configuration = Client.Configuration()
        configuration.cache = HTTPCache(.memory(bytes: 1 << 20))
        let client = Client(transport: transport, configuration: configuration)
        let response = try await client.stream(CacheBench.request())
        var count = 0
        for try await chunk in response.content {
            count += 1
            #expect(chunk.count == 64 << 10)
            #expect(sent.withLock { $0 } - count <= 20)
        }
        #expect(count == 500)
    }

    @Test("Trailers and the decoded state of a body pass through the cache")
    func trailers() async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: Self.header, chunks: [Data("1".utf8)], trailers: ["X-A": "1"]))
        let client = bench.client()
        let first = try await client.stream(CacheBench.request())
        for try await _ in first.content {}
        #expect(first.content.trailers == ["X-A": "1"])
        #expect(try await client.send(CacheBench.request()) == Data("1".utf8))
        #expect(bench.requests.count == 1)
    }

    /// A store whose operations fail.
    struct FailingStore: CacheStore {
        enum Operation: CaseIterable { case key, entry, write, append, finish }

        let failing: Operation
        let store = HTTPCache.MemoryStore.memory(bytes: 1 << 20)

        struct Failed: Error {}

        struct Writer: CacheWriter {
            let failing: Operation
            let writer: any CacheWriter

            func append(_ bytes: Data) async throws {
                if failing == .append { throw Failed() }
                try await writer.append(bytes)
            }

            func finish(_ response: HTTPCache.StoredResponse) async throws {
                if failing == .finish { throw Failed() }
                try await writer.finish(response)
            }
        }

        var size: Int64 { store.size }

        func key() throws -> Data {
            if failing == .key { throw Failed() }
            return store.key()
        }

        func entry(_ name: String) async throws -> HTTPCache.Entry? {
            if failing == .entry { throw Failed() }
            return store.entry(name)
        }

        func names(startingWith prefix: String) async throws -> [String] { throw Failed() }

        func write(_ response: HTTPCache.StoredResponse, to name: String) async throws -> any CacheWriter {
            if failing == .write { throw Failed() }
            return Writer(failing: failing, writer: store.write(response, to: name))
        }

        func update(_ name: String, to response: HTTPCache.StoredResponse?) async throws { throw Failed() }
    }

    @Test("A store that fails never fails a request, and the log says so", arguments: FailingStore.Operation.allCases)
    func failingStore(operation: FailingStore.Operation) async throws {
        let bench = CacheBench(FailingStore(failing: operation))
        bench.respond(.reply(200, header: Self.header, text: "body"))
        for _ in 0..<2 { #expect(try await bench.send().content == Data("body".utf8)) }
        try await bench.send(.post)
        #expect(bench.requests.count == 3)
        #expect(bench.log.withLock { $0.contains { $0.contains("cache:") && $0.contains("Failed") } })
    }

    @Test("The log says how the cache contributed")
    func log() async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: Self.header))
        for _ in 0..<2 { try await bench.send() }
        let messages = bench.log.withLock { $0.filter { $0.contains("cache:") } }
        #expect(messages == ["[1] cache: miss: nothing stored", "[1] cache: hit, age 0 s: max-age=60"])
    }
}
