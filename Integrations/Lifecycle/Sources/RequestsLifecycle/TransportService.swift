import RequestsClient
import ServiceLifecycle

/// A service that shuts down a transport when the program ends, after the calls over it have ended.
///
/// ```swift
/// let services: [any Service] = [TransportService(transport, draining: client), server]
/// var configuration = ServiceGroupConfiguration(services: services, logger: logger)
/// configuration.maximumGracefulShutdownDuration = .seconds(60)
/// try await ServiceGroup(configuration: configuration).run()
/// ```
///
/// A group shuts its services down in reverse order, each when the one before has ended. Put this service before the
/// services that send requests: they can then still send while they finish their work. `drainTimeout` begins when they
/// have ended, so only the group's `maximumGracefulShutdownDuration` limits a service that waits for a stuck request.
public struct TransportService: Service {
    private static let interval = Duration.milliseconds(20)

    private let transport: any Transport
    private let clients: [Client]
    private let drainTimeout: Duration
    private let clock: any Clock<Duration>

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - transport: The transport. If it has no `statistics`, only the calls of the clients are waited for.
    ///   - clients: The clients whose calls are waited for, such as one that waits before a retry. Without any, only
    ///     the exchanges of the transport are waited for.
    ///   - drainTimeout: The maximum time to wait after this service's graceful shutdown starts. The remaining calls
    ///     then fail with `TransportError.Code.shutdown`. Default: 30 seconds.
    ///   - clock: The clock that measures the wait. Default: the system's clock.
    public init(
        _ transport: any Transport,
        draining clients: Client...,
        drainTimeout: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.transport = transport
        self.clients = clients
        self.drainTimeout = drainTimeout
        self.clock = clock
    }

    /// Waits for a graceful shutdown and then for the calls and exchanges, and shuts down the transport.
    ///
    /// If the task is canceled, the transport is shut down at once.
    public func run() async {
        do {
            try await gracefulShutdown()
            try await drain(on: clock)
        } catch {
            // If the service is canceled, it doesn't wait for requests.
        }
        await transport.shutdown()
    }

    private func drain<C: Clock<Duration>>(on clock: C) async throws {
        let end = clock.now.advanced(by: drainTimeout)
        while clock.now < end, await isBusy {
            try await clock.sleep(for: min(TransportService.interval, clock.now.duration(to: end)))
        }
    }

    private var isBusy: Bool {
        get async {
            if clients.contains(where: { $0.runningCalls > 0 }) { return true }
            guard let statistics = await transport.statistics else { return false }
            return statistics.queued + statistics.inFlight > 0
        }
    }
}
