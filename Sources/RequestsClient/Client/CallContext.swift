import Requests

/// The call's context, passed to ``Middleware``.
public struct CallContext: Sendable {
    /// The client's clock. Sleep on this clock so that tests can control time.
    public let clock: any Clock<Duration>

    /// The number of the attempt, starting at 1. Every retry adds one. The request of a redirect starts at 1 again.
    public let attempt: Int

    /// The options of the call: the request's over the client's.
    public let options: CallOptions

    private let settings: Shared<CallMachine.Settings>
    private let environment: ClientEnvironment
    private let logger: CallLogger?
    let drainingClock: any Clock<Duration>

    init(_ call: Call, attempt: Int, _ runner: CallRunner) {
        clock = runner.configuration.clock
        drainingClock = runner.configuration.drainingClock
        self.attempt = attempt
        options = call.options
        settings = call.sharedSettings
        environment = ClientEnvironment(runner, elapsed: call.elapsed)
        logger = call.logger
    }

    /// Creates a context, to test middleware without a client.
    ///
    /// - Parameters:
    ///   - clock: The clock. Default: the system's.
    ///   - attempt: The number of the attempt, starting at 1.
    ///   - options: The options of the call.
    ///   - total: The total timeout, which starts now. Default: no limit.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        attempt: Int = 1,
        options: CallOptions = CallOptions(),
        total: Duration? = nil
    ) {
        var settings = CallMachine.Settings()
        settings.total = total
        let runner = CallRunner(Unconnected(), Client.Configuration(), ClientState())
        self.clock = clock
        drainingClock = ContinuousClock()
        self.attempt = attempt
        self.options = options
        self.settings = Shared(settings)
        environment = ClientEnvironment(runner, elapsed: clock.stopwatch())
        logger = nil
    }

    /// The time left until the total timeout. `nil` if there is no limit.
    public var remaining: Duration? { settings.value.remaining(in: environment) }

    /// Returns whether a request may be sent again after a wait, and takes the retry from the client's budget.
    func mayRepeat(_ request: PreparedRequest, after delay: Duration) -> Bool {
        var environment = environment
        return settings.value.mayRepeat(request, after: delay, in: &environment)
    }

    /// Logs an event of the call.
    public func log(_ kind: LogDestination.Event.Kind) {
        logger?.log(kind)
    }
}

/// The transport of a context without a client.
private struct Unconnected: Transport {
    let capabilities: TransportCapabilities = []

    func send(_ request: PreparedRequest, context: SendContext) throws -> Response<ResponseBody> {
        throw TransportError.unsupported("this context belongs to no client")
    }
}
