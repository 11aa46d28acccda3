import RequestsLifecycle
import RequestsTesting
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

@Suite("A transport as a service", .timeLimit(.minutes(5)))
struct TransportServiceTests {
    private let clock = TestClock()

    private func statistics(inFlight: Int, queued: Int = 0) -> TransportStatistics {
        TransportStatistics(
            connections: [],
            requests: [.init(operation: nil, queued: queued, inFlight: inFlight)],
            completed: 0,
            sent: 0,
            reused: 0
        )
    }

    @Test("is shut down when its requests have ended")
    func drains() async throws {
        let transport = Counted(statistics(inFlight: 1, queued: 1))
        await testGracefulShutdown { trigger in
            async let running: Void = TransportService(transport, clock: clock).run()
            trigger.triggerGracefulShutdown()
            try? await clock.waitForSleepers()
            #expect(!transport.isShutDown)
            transport.set(statistics(inFlight: 0, queued: 1))
            clock.advance(by: .milliseconds(20))
            try? await clock.waitForSleepers()
            #expect(!transport.isShutDown)
            transport.set(statistics(inFlight: 0))
            clock.advance(by: .milliseconds(20))
            await running
        }
        #expect(transport.isShutDown)
    }

    @Test("is shut down when the calls of its clients have ended, also one that waits before a retry")
    func drainsCalls() async throws {
        let stub = StubTransport(script: [.reply(503), .reply(200)])
        let transport = Counted(nil)
        let retries = TestClock()
        var configuration = Client.Configuration()
        configuration.clock = retries
        configuration.retries = .exponential()
        let client = Client(transport: stub, configuration: configuration)
        let call = Task { try await client.send(BaseURL("https://h").get(.none, from: "/")) }
        try await retries.waitForSleepers()
        #expect(client.runningCalls == 1)
        await testGracefulShutdown { trigger in
            async let running: Void = TransportService(transport, draining: client, clock: clock).run()
            trigger.triggerGracefulShutdown()
            try? await clock.waitForSleepers()
            #expect(!transport.isShutDown)
            retries.advance(by: .seconds(60))
            try? await call.value
            clock.advance(by: .milliseconds(20))
            await running
        }
        #expect(stub.requests.count == 2)
        #expect(client.runningCalls == 0)
        #expect(transport.isShutDown)
    }

    @Test("is shut down at the timeout, however late its timer wakes it")
    func lateTimer() async throws {
        let transport = Counted(statistics(inFlight: 1))
        await testGracefulShutdown { trigger in
            async let running: Void = TransportService(transport, drainTimeout: .seconds(1), clock: clock).run()
            trigger.triggerGracefulShutdown()
            try? await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
            await running
        }
        #expect(transport.isShutDown)
        #expect(clock.sleeps == [.milliseconds(20)])
    }

    @Test("is shut down after the timeout, or at once if it doesn't count its requests", arguments: [true, false])
    func timeout(counts: Bool) async throws {
        let transport = Counted(counts ? statistics(inFlight: 1) : nil)
        await testGracefulShutdown { trigger in
            async let running: Void = TransportService(transport, drainTimeout: .milliseconds(40), clock: clock).run()
            trigger.triggerGracefulShutdown()
            for _ in 0..<(counts ? 2 : 0) {
                try? await clock.waitForSleepers()
                #expect(!transport.isShutDown)
                clock.advance(by: .milliseconds(20))
            }
            await running
        }
        #expect(transport.isShutDown)
    }

    @Test("is shut down at once if the service is canceled")
    func cancellation() async throws {
        let transport = Counted(statistics(inFlight: 1))
        let running = Task { await TransportService(transport, clock: clock).run() }
        running.cancel()
        await running.value
        #expect(transport.isShutDown)
    }
}

/// A transport with fixed statistics.
private final class Counted: Transport {
    private let fixed: Mutex<TransportStatistics?>
    private let shutdowns = Mutex(0)
    let capabilities = TransportCapabilities()

    init(_ statistics: TransportStatistics?) {
        fixed = Mutex(statistics)
    }

    var statistics: TransportStatistics? { get async { fixed.withLock { $0 } } }
    var isShutDown: Bool { shutdowns.withLock { $0 > 0 } }

    func set(_ statistics: TransportStatistics) { fixed.withLock { $0 = statistics } }

    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        try .stub(200, for: request)
    }

    func shutdown() async { shutdowns.withLock { $0 += 1 } }
}
