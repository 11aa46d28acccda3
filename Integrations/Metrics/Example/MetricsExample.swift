import Foundation
import Metrics
import MetricsTestKit
import RequestsCurl
import RequestsMetrics
import RequestsTesting
import Synchronization

/// Counts and times the calls of a client with swift-metrics. A program sets up the metrics system with a factory that
/// exports to Prometheus or StatsD; this one keeps the values and prints them.
@main
struct MetricsExample {
    static func main() async throws {
        let factory = TestMetrics()
        MetricsSystem.bootstrap(factory)

        let server = try UnreliableServer.start()
        let api = BaseURL(server.baseURL)
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.milliseconds(10), limit: 1)
        configuration.log = .metrics()
        let client = Client(transport: CurlTransport.shared, configuration: configuration)

        print("Three calls succeed on the second attempt, one fails:")
        for _ in 1...3 { print(try await client.send(api.get(.text, from: "/greetings"))) }
        if case .failure(let error) = await client.result(of: api.get(.text, from: "/missing")) { print(error) }

        print("\nCounters:")
        for counter in factory.counters.sorted(by: { $0.label < $1.label }) {
            print("\(counter.label) \(shown(counter.dimensions)): \(counter.totalValue)")
        }
        print("\nTimers, in milliseconds:")
        for timer in factory.timers.sorted(by: { $0.label < $1.label }) {
            let times = timer.values.map { String(format: "%.1f", Double($0) / 1_000_000) }
            print("\(timer.label) \(shown(timer.dimensions)): \(times.joined(separator: ", "))")
        }
        print("\nGauges of the transport:")
        let gauges = TransportGauges(of: CurlTransport.shared)
        await gauges.update()
        for gauge in factory.recorders.sorted(by: { $0.label < $1.label }) {
            print("\(gauge.label) \(shown(gauge.dimensions)): \(gauge.lastValue ?? 0)")
        }
        withExtendedLifetime(server) {}
    }

    /// Returns the dimensions that have values, without the server, which is the same for all.
    private static func shown(_ dimensions: [(String, String)]) -> String {
        let values = dimensions.filter { !$0.0.hasPrefix("server.") && !$0.1.isEmpty }
        return "[" + values.map { "\($0.0)=\($0.1)" }.joined(separator: " ") + "]"
    }
}

/// A server whose every second response is an error.
private enum UnreliableServer {
    private static let greetings = Atomic(0)

    static func start() throws -> LoopbackServer {
        try LoopbackServer.http { request in
            guard request.path == "/greetings" else { return .init(404) }
            let isAvailable = greetings.add(1, ordering: .relaxed).newValue.isMultiple(of: 2)
            return isAvailable ? .init(200, .plainText, "hello") : .init(503)
        }
    }
}
