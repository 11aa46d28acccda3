import Foundation
import Requests
import RequestsCache
import RequestsClient
import RequestsTesting
import Synchronization
import Testing

@Suite("Requests in flight", .timeLimit(.minutes(1)))
struct FlightTests {
    /// Responds to a number of requests when all that are expected have arrived.
    final class Gate: Sendable {
        private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

        func wait() async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                defer { state = (true, []) }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    static func send(_ count: Int, _ header: Header, stored: Header? = nil) async throws -> (requests: Int, bodies: Int)
    {
        let exchanges = Mutex(0)
        let gate = Gate()
        let transport = StubTransport { request in
            let number = exchanges.withLock {
                $0 += 1; return $0
            }
            if stored == nil || number > 1 { await gate.wait() }
            if request.header.contains(.ifNoneMatch) { return try .stub(304, header: header, for: request) }
            return try .stub(
                200,
                header: stored.map { number == 1 ? $0 : header } ?? header,
                body: Data("body".utf8),
                for: request
            )
        }
        var configuration = Client.Configuration()
        configuration.cache = HTTPCache(.memory(1 << 20))
        let started = Mutex(0)
        configuration.log = LogDestination { event in
            guard case .attempt = event.kind else { return }
            let isLast = started.withLock {
                $0 += 1; return $0 == count + (stored == nil ? 0 : 1)
            }
            if isLast { gate.open() }
        }
        let client = Client(transport: transport, configuration: configuration)
        let request = try CacheBench.request()
        if stored != nil { _ = try await client.send(request) }
        let bodies = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<count { group.addTask { try await client.send(request) } }
            return try await group.reduce(0) { $0 + ($1 == Data("body".utf8) ? 1 : 0) }
        }
        return (exchanges.withLock { $0 } - (stored == nil ? 0 : 1), bodies)
    }

    @Test("1,000 equal requests make one exchange")
    func equal() async throws {
        let result = try await Self.send(1000, [.cacheControl: "max-age=60"])
        #expect(result == (1, 1000))
    }

    @Test("1,000 equal requests make one revalidation")
    func revalidation() async throws {
        let result = try await Self.send(
            1000,
            [.cacheControl: "max-age=60", "ETag": "\"a\""],
            stored: [.cacheControl: "max-age=0", "ETag": "\"a\""]
        )
        #expect(result == (1, 1000))
    }

    @Test("Requests are sent one by one if the response may not be shared", arguments: ["no-store", "max-age=0"])
    func unshared(control: String) async throws {
        #expect(try await Self.send(20, [.cacheControl: control]) == (20, 20))
    }

    @Test("A request that waits for another one goes on if that one fails or is canceled", arguments: [true, false])
    func failing(isCanceled: Bool) async throws {
        let exchanges = Mutex(0)
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        let transport = StubTransport { request in
            let number = exchanges.withLock {
                $0 += 1; return $0
            }
            begin.yield()
            guard number == 1 else { return try .stub(200, jsonText: "1", for: request) }
            if isCanceled { try await waitForCancellation() } else { await gate.wait() }
            throw TransportError(code: .malformed, message: "test", phase: .receiving)
        }
        var configuration = Client.Configuration()
        configuration.cache = HTTPCache(.memory(1 << 20))
        let client = Client(transport: transport, configuration: configuration)
        let request = try CacheBench.request()
        let first = Task { try await client.send(request) }
        for await _ in began { break }
        let second = Task { try await client.send(request) }
        if isCanceled { first.cancel() } else { gate.open() }
        #expect(try await second.value == Data("1".utf8))
        await #expect(throws: (any Error).self) { try await first.value }
    }

    @Test("cancelAll() and the total timeout end requests that wait for another one", arguments: [true, false])
    func ending(isCanceled: Bool) async throws {
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let transport = StubTransport { request in
            try await waitForCancellation()
            return try .stub(200, for: request)
        }
        let clock = TestClock()
        var configuration = Client.Configuration()
        configuration.cache = HTTPCache(.memory(1 << 20))
        configuration.clock = clock
        configuration.log = LogDestination { event in
            if case .attempt = event.kind { begin.yield() }
        }
        if !isCanceled { configuration.timeouts.total = .seconds(5) }
        let client = Client(transport: transport, configuration: configuration)
        let request = try CacheBench.request()
        let tasks = (0..<2).map { _ in Task { try await client.send(request) } }
        var attempts = began.makeAsyncIterator()
        for _ in tasks { await attempts.next() }
        if isCanceled {
            client.cancelAll()
        } else {
            try await clock.waitForSleepers(2)
            clock.advance(by: .seconds(5))
        }
        for task in tasks { await #expect(throws: (any Error).self) { try await task.value } }
    }

    @Test("The idle and attempt timeouts limit the wait for an equal request", arguments: [true, false])
    func waiting(isIdle: Bool) async throws {
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let transport = StubTransport { request in
            begin.yield()
            try await waitForCancellation()
            return try .stub(200, for: request)
        }
        let clock = TestClock()
        var configuration = Client.Configuration()
        configuration.cache = HTTPCache(.memory(1 << 20))
        configuration.clock = clock
        let client = Client(transport: transport, configuration: configuration)
        let first = Task { [client] in try await client.send(CacheBench.request()) }
        for await _ in began { break }
        var request = try CacheBench.request()
        request.options.timeouts =
            isIdle ? Timeouts(idle: .seconds(5), attempt: .seconds(9)) : Timeouts(attempt: .seconds(5))
        let second = Task { [client, request] in try await client.send(request) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        await #expect {
            try await second.value
        } throws: { error in
            (error as? TransportError)?.code == .timedOut(isIdle ? .idle : .attempt)
        }
        first.cancel()
    }
}
