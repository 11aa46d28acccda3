import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Coalescing", .timeLimit(.minutes(5)))
struct CoalescingTests {
    private let api = AnonymousRequestProvider("https://a.example")
    private let clock = TestClock()

    /// A server that responds when the clock moves.
    private func server(_ body: Data = Data("shared".utf8)) -> StubTransport {
        StubTransport { [clock] request in
            try await clock.sleep(for: .seconds(1))
            return try .stub(200, header: ["X-A": "1"], body: body, for: request)
        }
    }

    /// Sends requests at the same time, and lets the server respond when a number of exchanges have started.
    private func send(
        _ requests: [Request<AnonymousRequestProvider, Data>],
        over server: StubTransport,
        exchanges: Int,
        sharing: Int
    ) async throws -> [Response<Data>] {
        let transport = CoalescingTransport(server)
        let client = Client(transport: transport)
        async let responses = withThrowingTaskGroup(of: Response<Data>.self) { group in
            for request in requests { group.addTask { try await client.response(for: request) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        await transport.waitForWaiters(sharing)
        try await clock.waitForSleepers(exchanges)
        clock.advance(by: .seconds(1))
        return try await responses
    }

    @Test("Equal requests share one exchange, and each gets the whole response")
    func equal() async throws {
        let server = server()
        let request = api.get(.data, from: "/a")
        let responses = try await send([request, request, request], over: server, exchanges: 1, sharing: 3)
        #expect(server.requests.count == 1)
        #expect(responses.map(\.content) == Array(repeating: Data("shared".utf8), count: 3))
        #expect(responses.allSatisfy { $0.head.header["X-A"] == "1" })
    }

    @Test("Requests with other credentials, URLs or methods have their own exchanges")
    func different() async throws {
        let server = server()
        let requests = [
            api.get(.data, from: "/a").authenticated(with: .bearerToken("one")),
            api.get(.data, from: "/a").authenticated(with: .bearerToken("two")), api.get(.data, from: "/a?b"),
            api.post(.text("x"), to: "/a").receiving(.data), api.post(.text("x"), to: "/a").receiving(.data),
        ]
        _ = try await send(requests, over: server, exchanges: 5, sharing: 3)
        #expect(server.requests.count == 5)
    }

    @Test("A canceled request doesn't end the exchange of the others, and the last one does")
    func canceled() async throws {
        let server = server()
        let transport = CoalescingTransport(server)
        let client = Client(transport: transport)
        let request = api.get(.data, from: "/a")
        let first = Task { try await client.send(request) }
        let second = Task { try await client.send(request) }
        await transport.waitForWaiters(2)
        try await clock.waitForSleepers()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        clock.advance(by: .seconds(1))
        #expect(try await second.value == Data("shared".utf8))

        let third = Task { try await client.send(request) }
        await transport.waitForWaiters(1)
        try await clock.waitForSleepers()
        third.cancel()
        await #expect(throws: CancellationError.self) { try await third.value }
        await transport.waitForWaiters(0)
        let fourth = Task { try await client.send(request) }
        await transport.waitForWaiters(1)
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        #expect(try await fourth.value == Data("shared".utf8))
        #expect(server.requests.count == 3)
    }

    @Test("The exchange of canceled requests is canceled")
    func canceledExchange() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let transport = CoalescingTransport(
            StubTransport { [clock] request in
                start.finish()
                defer { end.finish() }
                // Ends only by cancellation.
                try await clock.sleep(for: .seconds(1))
                return try .stub(200, for: request)
            }
        )
        let call = Task { [api] in try await Client(transport: transport).send(api.get(.data, from: "/a")) }
        for await _ in started {}
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        for await _ in ended {}
    }

    @Test("A body above the limit is sent for each request")
    func large() async throws {
        let server = StubTransport(script: Array(repeating: .reply(200, text: "too large"), count: 2))
        let client = Client(transport: CoalescingTransport(server, maximumBodyBytes: 4))
        #expect(try await client.send(api.get(.text, from: "/a")) == "too large")
        #expect(server.requests.count == 2)
    }
}

extension CoalescingTransport {
    /// Waits until a number of requests wait for shared exchanges.
    fileprivate func waitForWaiters(_ count: Int) async {
        while waiterCount != count { await Task.yield() }
    }
}
