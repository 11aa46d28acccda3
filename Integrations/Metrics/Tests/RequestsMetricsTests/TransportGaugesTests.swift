import Foundation
import Metrics
import MetricsTestKit
import RequestsMetrics
import RequestsTesting
import Synchronization
import Testing

@Suite("Gauges of a transport", .timeLimit(.minutes(5)))
struct TransportGaugesTests {
    private let factory = TestMetrics()

    /// Returns the last value of each gauge.
    private func values() -> [String: Double] {
        var values: [String: Double] = [:]
        for gauge in factory.recorders {
            let dimensions = gauge.dimensions.map(\.1).joined(separator: " ")
            values["\(gauge.label) \(dimensions)"] = gauge.lastValue
        }
        return values
    }

    @Test("Connections by server, version and state, requests by operation, and the reuse of connections")
    func values() async throws {
        let transport = Counted(
            TransportStatistics(
                // The dimensions don't contain the scheme, so these two are added.
                connections: [
                    .init(origin: try origin(), httpVersion: .http2, open: 3, idle: 1),
                    .init(origin: try origin("http://a.example:443"), httpVersion: .http2, open: 7, idle: 5),
                ],
                requests: [
                    .init(operation: nil, queued: 1, inFlight: 0), .init(operation: "/a/{}", queued: 0, inFlight: 2),
                ],
                completed: 6,
                sent: 8,
                reused: 6
            )
        )
        let gauges = TransportGauges(of: transport, factory: factory)
        await gauges.update()
        let expected = [
            "http.client.open_connections a.example 443 2 active": 4, "http.client.active_requests ": 0,
            "http.client.open_connections a.example 443 2 idle": 6, "http.client.queued_requests ": 1,
            "http.client.active_requests /a/{}": 2, "http.client.queued_requests /a/{}": 0,
            "http.client.connection_reuse ": 0.75,
        ]
        #expect(values() == expected)
        let names: Set = [
            ["server.address", "server.port", "network.protocol.version", "http.connection.state"], ["url.template"],
            [],
        ]
        #expect(Set(factory.recorders.map { $0.dimensions.map(\.0) }) == names)

        transport.set(TransportStatistics(connections: [], requests: [], completed: 9, sent: 8, reused: 6))
        await gauges.update()
        #expect(values() == expected.mapValues { $0 == 0.75 ? 0.75 : 0 })

        // After a shutdown.
        transport.set(nil)
        await gauges.update()
        #expect(values() == expected.mapValues { _ in 0 })
    }

    @Test("Values are recorded at each interval, until the task is canceled")
    func interval() async throws {
        let clock = TestClock()
        let transport = Counted(
            TransportStatistics(connections: [], requests: [], completed: 1, sent: 2, reused: 1)
        )
        let gauges = TransportGauges(of: transport, factory: factory)
        let running = Task { try await gauges.run(every: .seconds(10), clock: clock) }
        try await clock.waitForSleepers()
        #expect(values() == ["http.client.connection_reuse ": 0.5])
        transport.set(TransportStatistics(connections: [], requests: [], completed: 2, sent: 2, reused: 2))
        clock.advance(by: .seconds(10))
        try await clock.waitForSleepers()
        #expect(values() == ["http.client.connection_reuse ": 1])
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }

    private func origin(_ url: String = "https://a.example") throws -> RequestURL.Origin { try RequestURL(url).origin }
}

/// A transport with fixed statistics.
private final class Counted: Transport {
    private let fixed: Mutex<TransportStatistics?>
    let capabilities = TransportCapabilities()

    init(_ statistics: TransportStatistics) {
        fixed = Mutex(statistics)
    }

    var statistics: TransportStatistics? { get async { fixed.withLock { $0 } } }

    func set(_ statistics: TransportStatistics?) { fixed.withLock { $0 = statistics } }

    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        try .stub(200, for: request)
    }
}
