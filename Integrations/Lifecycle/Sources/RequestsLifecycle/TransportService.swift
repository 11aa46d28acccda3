import Requests
import RequestsClient
import ServiceLifecycle

/// Shuts a transport down with the program, after its requests have ended.
///
/// ```swift
/// let group = ServiceGroup(services: [TransportService(transport), server], logger: logger)
/// try await group.run()
/// ```
///
/// A group shuts its services down in reverse order, so put this one before the services that send requests. They can
/// then still send while they finish their own work.
///
/// A transport without `statistics` is shut down at once, because it doesn't tell whether requests are running.
public struct TransportService: Service {
    private static let interval = Duration.milliseconds(20)

    private let transport: any Transport
    private let drainTimeout: Duration
    private let clock: any Clock<Duration>

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - transport: The transport.
    ///   - drainTimeout: The most time for running requests to end after a graceful shutdown. Those that are left fail
    ///     with `TransportError.Code.shutdown`. Default: 30 seconds.
    ///   - clock: The clock of the timeout. Default: the system's clock.
    public init(
        _ transport: any Transport,
        drainTimeout: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.transport = transport
        self.drainTimeout = drainTimeout
        self.clock = clock
    }

    /// Waits for the graceful shutdown, then for running requests, and shuts the transport down.
    ///
    /// If the task is canceled, the transport is shut down at once.
    public func run() async {
        do {
            try await gracefulShutdown()
            try await drain()
        } catch {
            // A canceled service doesn't wait for its requests.
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
