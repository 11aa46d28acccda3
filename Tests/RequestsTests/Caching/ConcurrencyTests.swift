import RequestsCache
import RequestsTesting
import Synchronization
import Testing

@Suite("Equal requests at the same time", .timeLimit(.minutes(5)))
struct ConcurrencyTests {
    private static let body = Data("body".utf8)

    private func client(_ transport: StubTransport, _ date: @escaping @Sendable () -> Date = { Date() }) -> Client {
        var configuration = Client.Configuration()
        configuration.cache = HTTPCache(.memory(bytes: 1 << 20))
        configuration.date = date
        return Client(transport: transport, configuration: configuration)
    }

    @Test("None waits for another one, whatever the response says", arguments: ["max-age=60", "no-store"])
    func independent(control: String) async throws {
        let (arrivals, didArrive) = AsyncStream.makeStream(of: Void.self)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let opened = Task { for await _ in gate {} }
        let client = client(
            StubTransport { request in
                didArrive.yield()
                await opened.value
                return try .stub(200, header: [.cacheControl: control], body: Self.body, for: request)
            }
        )
        let tasks = (0..<20).map { _ in Task { try await client.send(CacheBench.request()) } }
        var arrived = arrivals.makeAsyncIterator()
        for _ in tasks { await arrived.next() }
        opener.finish()
        for task in tasks { #expect(try await task.value == Self.body) }
    }

    @Test("A stale response that may be served is revalidated by one request, and again after that one failed")
    func revalidation() async throws {
        let start = CacheBench.start
        let sent = Mutex(0)
        let seconds = Mutex(0.0)
        let (failures, didFail) = AsyncStream.makeStream(of: Void.self)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let opened = Task { for await _ in gate {} }
        let stub = StubTransport { request in
            let number = sent.withLock { count in
                count += 1
                return count
            }
            guard number > 1 else {
                let header: Header = [.cacheControl: "max-age=1, stale-while-revalidate=60", .eTag: "\"1\""]
                return try .stub(200, header: header, body: Self.body, for: request)
            }
            await opened.value
            defer { didFail.yield() }
            throw TransportError(code: .malformed, message: "test", phase: .receiving)
        }
        let client = client(stub) { start + seconds.withLock { $0 } }
        #expect(try await client.send(CacheBench.request()) == Self.body)
        seconds.withLock { $0 = 5 }
        for _ in 0..<50 { #expect(try await client.send(CacheBench.request()) == Self.body) }
        opener.finish()
        var failed = failures.makeAsyncIterator()
        await failed.next()
        #expect(sent.withLock { $0 } == 2)
        // The end of the first one may be a moment later than its failure.
        while sent.withLock({ $0 }) == 2 { #expect(try await client.send(CacheBench.request()) == Self.body) }
    }
}
