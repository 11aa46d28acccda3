import Metrics
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
/// A dimension without a value is empty. After a server or an operation was recorded once, its gauges stay at 0 instead
/// of disappearing, as long as this object exists. After the transport's shutdown, all are 0.
public final class TransportGauges: Sendable {
    private struct Key: Hashable {
        let label: String
        let dimensions: [String]
    }

    private let transport: any Transport
    private let factory: (any MetricsFactory)?
    /// The gauges that were recorded, which must become 0 when the transport no longer reports them.
    private let recorded = Mutex<Set<Key>>([])

    /// Creates gauges.
    ///
    /// - Parameters:
    ///   - transport: The transport. If it has no statistics, nothing is recorded.
    ///   - factory: Creates the metrics. Default: `nil`, the factory of `MetricsSystem`.
    public init(of transport: any Transport, factory: (any MetricsFactory)? = nil) {
        self.transport = transport
        self.factory = factory
    }

    /// Records the current values repeatedly until the task is canceled.
    ///
    /// - Parameters:
    ///   - interval: The time between two updates.
    ///   - clock: The clock that measures the interval. Default: the system's clock.
    /// - Throws: `CancellationError` when the task is canceled.
    public func run(every interval: Duration, clock: any Clock<Duration> = ContinuousClock()) async throws {
        while true {
            await update()
            try await clock.sleep(for: interval)
        }
    }

    /// Records the current values once.
    public func update() async {
        let statistics = await transport.statistics
        var values: [Key: Double] = [:]
        for connections in statistics?.connections ?? [] {
            values[key(of: connections, "active"), default: 0] += Double(connections.open - connections.idle)
            values[key(of: connections, "idle"), default: 0] += Double(connections.idle)
        }
        for requests in statistics?.requests ?? [] {
            let operation = [requests.operation ?? ""]
            values[Key(label: "http.client.active_requests", dimensions: operation)] = Double(requests.inFlight)
            values[Key(label: "http.client.queued_requests", dimensions: operation)] = Double(requests.queued)
        }
        if let rate = statistics?.reuseRate {
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
                connections.origin.address, "\(connections.origin.port)", connections.httpVersion?.number ?? "", state,
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
    /// The version without the protocol's name, as OpenTelemetry writes it: `1.1` or `2`.
    fileprivate var number: String { String(description.dropFirst("HTTP/".count)) }
}
