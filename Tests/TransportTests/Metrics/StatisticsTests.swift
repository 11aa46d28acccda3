import Dispatch
import RequestsCurl
import RequestsTesting
import Testing

@Suite("Statistics of a transport", .timeLimit(.minutes(5)))
struct StatisticsTests {
    @Test("libcurl's connections and requests are counted while they run, and afterwards")
    func curl() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try LoopbackServer.http { request in
            if request.path == "/slow" { gate.wait() }
            return .init(200)
        }
        defer { server.stop() }
        let origin = try RequestURL(server.baseURL.absoluteString).origin
        let transport = try CurlTransport()
        #expect(
            await transport.statistics
                == TransportStatistics(connections: [], requests: [], completed: 0, sent: 0, reused: 0)
        )
        let client = Client(transport: transport)
        let api = BaseURL(baseURL: server.baseURL)
        for _ in 0..<3 { try await client.send(api.get(.none, from: "/a")) }
        let idle = try #require(await transport.statistics)
        #expect(idle.connections == [.init(origin: origin, httpVersion: .http1_1, open: 1, idle: 1)])
        #expect((idle.completed, idle.sent, idle.reused, idle.requests) == (3, 3, 2, []))
        #expect(idle.reuseRate == 2.0 / 3)

        let slow = Task { try await client.send(api.get(.none, from: "/slow")) }
        while await transport.statistics?.sent != 4 { await Task.yield() }
        let busy = try #require(await transport.statistics)
        #expect(busy.connections == [.init(origin: origin, httpVersion: .http1_1, open: 1, idle: 0)])
        #expect(busy.requests == [.init(operation: "/slow", queued: 0, inFlight: 1)])
        gate.signal()
        try await slow.value
        await transport.shutdown()
        #expect(await transport.statistics == nil)
    }

    @Test("A request that waits for a connection is queued")
    func queued() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try LoopbackServer.http { _ in
            gate.wait()
            return .init(200)
        }
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.connections.maximumPerHost = 1
        let transport = try CurlTransport(configuration: configuration)
        let client = Client(transport: transport)
        let request = BaseURL(baseURL: server.baseURL).get(.none, from: "/")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 { group.addTask { try await client.send(request) } }
            while true {
                let statistics = try #require(await transport.statistics)
                if statistics.sent == 1, statistics.queued == 1, statistics.inFlight == 1 { break }
                await Task.yield()
            }
            for _ in 0..<2 { gate.signal() }
            try await group.waitForAll()
        }
        #expect(await transport.statistics?.openConnections == 1)
    }

    @Test("A stub counts the requests that wait for their response, also through a fault plan")
    func stub() async throws {
        let (started, start) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Void>.makeStream()
        let stub = StubTransport { request in
            start.finish()
            for await _ in ended {}
            return try .stub(200, for: request)
        }
        let client = Client(transport: stub)
        let request = BaseURL("https://a.example").get(.none, from: "/users/\(7)")
        let call = Task { try await client.send(request) }
        for await _ in started {}
        #expect(await stub.statistics?.requests == [.init(operation: "/users/{}", queued: 0, inFlight: 1)])
        #expect(await stub.statistics?.completed == 0)
        end.finish()
        try await call.value
        #expect(await stub.statistics?.requests == [])
        #expect(await FaultPlan(seed: 1).applied(to: stub).statistics?.completed == 1)
    }
}
