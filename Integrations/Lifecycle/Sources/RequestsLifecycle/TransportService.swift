import Requests
import RequestsClient
import ServiceLifecycle

/// A service that shuts down a transport when the program ends, after the transport's requests have ended.
///
/// ```swift
/// let group = ServiceGroup(services: [TransportService(transport), server], logger: logger)
/// try await group.run()
/// ```
///
/// A group shuts its services down in reverse order. Put this service before the services that send requests. They can
/// then still send while they finish their work.
///
/// A transport without `statistics` is shut down at once, because it doesn't report whether requests are running.
public struct TransportService: Service {
    private static let interval = Duration.milliseconds(20)

    private let transport: any Transport
    private let drainTimeout: Duration
    private let clock: any Clock<Duration>

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - transport: The transport.
    ///   - drainTimeout: The maximum time to wait for running requests after a graceful shutdown starts. The remaining
    ///     ones then fail with `TransportError.Code.shutdown`. Default: 30 seconds.
    ///   - clock: The clock that measures the wait. Default: the system's clock.
    public init(
        _ transport: any Transport,
        drainTimeout: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.transport = transport
        self.drainTimeout = drainTimeout
        self.clock = clock
    }

    /// Waits for a graceful shutdown and then for running requests, and shuts down the transport.
    ///
    /// If the task is canceled, the transport is shut down at once.
    public func run() async {
        do {
            try await gracefulShutdown()
            try await drain()
        } catch {
            // If the service is canceled, it doesn't wait for requests.
        }
        await transport.shutdown()
    }

    private func drain() async throws {
        var left = drainTimeout
        while left > .zero, let statistics = await transport.statistics, statistics.queued + statistics.inFlight > 0 {
            try await clock.sleep(for: TransportService.interval)
            left -= TransportService.interval
        }
    }
}
