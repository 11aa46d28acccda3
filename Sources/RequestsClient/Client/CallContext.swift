import Requests

/// What ``Middleware`` knows about the call of a request.
public struct CallContext: Sendable {
    /// The client's clock. Use it to wait, so that tests don't have to.
    public let clock: any Clock<Duration>

    /// The number of the attempt, starting at 1. Every retry adds one. The request of a redirect starts at 1 again.
    public let attempt: Int

    /// The request's policies. `nil` in them means the client's settings.
    public let policies: CallPolicies

    let deadline: CallDeadline?
    let drainingClock: any Clock<Duration>
    private let logger: CallLogger?

    init(_ call: Call, attempt: Int, _ runner: CallRunner) {
        clock = runner.configuration.clock
        drainingClock = runner.configuration.drainingClock
        self.attempt = attempt
        policies = call.policies
        deadline = call.deadline
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
        self.clock = clock
        drainingClock = ContinuousClock()
        self.attempt = attempt
        self.policies = policies
        deadline = total.map { CallDeadline($0, on: clock) }
        logger = nil
    }

    /// The time left until the total timeout. `nil` if there is no limit.
    public var remaining: Duration? { deadline?.remaining }

    /// Logs an event of the call.
    public func log(_ kind: LogDestination.Event.Kind) {
        logger?.log(kind)
    }
}
