import Metrics
import Requests
import RequestsClient
import Synchronization

/// Gauges of a transport's connections and requests.
///
/// ```swift
/// let gauges = TransportGauges(of: transport)
/// try await gauges.run(every: .seconds(10))
/// ```
///
/// | metric | what it measures | dimensions |
/// |---|---|---|
/// | `http.client.open_connections` | connections | `server.address`, `server.port`, `network.protocol.version`, `http.connection.state`: `active` or `idle` |
/// | `http.client.active_requests` | requests that are connecting, sending or receiving | `url.template` |
/// | `http.client.queued_requests` | requests that wait for a connection | `url.template` |
/// | `http.client.connection_reuse` | the share of requests over a connection that was used before, from 0 to 1 | none |
///
/// A dimension without a value is empty. A server or an operation that was recorded stays a dimension with the value 0,
/// as long as the gauges exist.
public final class TransportGauges: Sendable {
    private struct Key: Hashable {
        let label: String
        let dimensions: [String]
    }

    private let transport: any Transport
    private let factory: (any MetricsFactory)?
    /// What was recorded and must become 0 once the transport has none of it.
    private let recorded = Mutex<Set<Key>>([])

    /// Creates gauges.
    ///
    /// - Parameters:
    ///   - transport: The transport. One without statistics has no gauges.
    ///   - factory: Makes the metrics. Default: `nil`, the factory of `MetricsSystem`.
    public init(of transport: any Transport, factory: (any MetricsFactory)? = nil) {
        self.transport = transport
        self.factory = factory
    }

    /// Records the current values until the task is canceled.
    ///
    /// - Parameters:
    ///   - interval: The time between two updates.
    ///   - clock: The clock. Default: the system's clock.
    /// - Throws: `CancellationError`.
    public func run(every interval: Duration, clock: any Clock<Duration> = ContinuousClock()) async throws {
        while true {
            await update()
            try await clock.sleep(for: interval)
        }
    }

    /// Records the current values.
    public func update() async {
        guard let statistics = await transport.statistics else { return }
        var values: [Key: Double] = [:]
        for connections in statistics.connections {
            values[key(of: connections, "active"), default: 0] += Double(connections.open - connections.idle)
            values[key(of: connections, "idle"), default: 0] += Double(connections.idle)
        }
        for requests in statistics.requests {
            let operation = [requests.operation ?? ""]
            values[Key(label: "http.client.active_requests", dimensions: operation)] = Double(requests.inFlight)
            values[Key(label: "http.client.queued_requests", dimensions: operation)] = Double(requests.queued)
        }
        if let rate = statistics.reuseRate {
            values[Key(label: "http.client.connection_reuse", dimensions: [])] = rate
        }
        let all = recorded.withLock { recorded in
            recorded.formUnion(values.keys)
            return recorded
        }
        for key in all { record(values[key] ?? 0, as: key) }
    }

    private func key(of connections: TransportStatistics.Connections, _ state: String) -> Key {
        Key(
            label: "http.client.open_connections",
            dimensions: [
                connections.origin.host, "\(connections.origin.port)", connections.httpVersion?.number ?? "", state,
            ]
        )
    }

    private func record(_ value: Double, as key: Key) {
        let names =
            switch key.dimensions.count {
            case 4: ["server.address", "server.port", "network.protocol.version", "http.connection.state"]
            case 1: ["url.template"]
            default: [] as [String]
            }
        let dimensions = Array(zip(names, key.dimensions))
        Gauge(label: key.label, dimensions: dimensions, factory: factory ?? MetricsSystem.factory).record(value)
    }
}

extension HTTPVersion {
    /// The version without the name of the protocol, as in OpenTelemetry: `1.1` or `2`.
    fileprivate var number: String { String(description.dropFirst("HTTP/".count)) }
}
