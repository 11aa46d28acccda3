import Requests

/// What ``Middleware`` knows about the call of a request.
public struct CallContext: Sendable {
    /// The client's clock. Use it to wait, so that tests don't have to.
    public let clock: any Clock<Duration>

    /// The number of the attempt, starting at 1. Every retry adds one. The request of a redirect starts at 1 again.
    public let attempt: Int

    /// The request's policies. `nil` in them means the client's settings.
    public let policies: CallPolicies

    private let settings: Shared<CallMachine.Settings>
    private let environment: ClientEnvironment
    private let logger: CallLogger?
    let drainingClock: any Clock<Duration>

    init(_ call: Call, attempt: Int, _ runner: CallRunner) {
        clock = runner.configuration.clock
        drainingClock = runner.configuration.drainingClock
        self.attempt = attempt
        policies = call.policies
        settings = call.sharedSettings
        environment = ClientEnvironment(runner, elapsed: call.elapsed)
        logger = call.logger
    }

    /// Creates a context, to test middleware without a client.
    ///
    /// - Parameters:
    ///   - clock: The clock. Default: the system's.
    ///   - attempt: The number of the attempt, starting at 1.
    ///   - policies: The request's policies.
    ///   - total: The total timeout, which starts now. Default: no limit.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        attempt: Int = 1,
        policies: CallPolicies = CallPolicies(),
        total: Duration? = nil
    ) {
        var settings = CallMachine.Settings()
        settings.total = total
        let runner = CallRunner(Unconnected(), Client.Configuration(), ClientState())
        self.clock = clock
        drainingClock = ContinuousClock()
        self.attempt = attempt
        self.policies = policies
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
