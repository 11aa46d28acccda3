/// Independent time limits.
///
/// In a request, `nil` means the client's limit. In a client, `nil` means the transport's. ``unlimited`` lifts a limit.
public struct Timeouts: Hashable, Sendable {
    /// The time allowed to get a connection, including DNS, TLS and queueing.
    ///
    /// If there is no limit, `idle` ends a stalled attempt.
    public var connect: Duration?

    /// The time allowed without any progress in either direction. Default: 60 seconds.
    ///
    /// Paused while the request waits for a free connection, and while the body's reader is slower than the server.
    public var idle: Duration?

    /// The time allowed for one attempt, from its start to the last byte of its response. Default: no limit.
    ///
    /// An attempt that takes longer can be retried, unlike one that reaches `total`.
    public var attempt: Duration?

    /// The time allowed from the call to the last byte of the response, including redirects and retries. Default: no
    /// limit.
    public var total: Duration?

    /// Creates limits.
    public init(
        connect: Duration? = nil,
        idle: Duration? = nil,
        attempt: Duration? = nil,
        total: Duration? = nil
    ) {
        self.connect = connect
        self.idle = idle
        self.attempt = attempt
        self.total = total
    }

    /// A limit that is never reached, for a request that must not have its client's limit.
    public static let unlimited = Duration.seconds(longestInterval)

    package static let defaultIdle = Duration.seconds(60)
    package static let defaultIdleInterval = 60.0

    /// A century in seconds. Clocks can't wait for every `Duration`.
    package static let longestInterval = 100.0 * 366 * 86_400

    /// Returns the limits. A limit that is `nil` is taken from `other`.
    package func merging(_ other: Timeouts) -> Timeouts {
        Timeouts(
            connect: connect ?? other.connect,
            idle: idle ?? other.idle,
            attempt: attempt ?? other.attempt,
            total: total ?? other.total
        )
    }

    /// Returns seconds as a duration of at most a century.
    ///
    /// NaN becomes a negative duration, which ``validate()`` rejects, because `Duration` traps.
    package static func duration(_ seconds: Double) -> Duration {
        seconds.isNaN ? .seconds(-1) : .seconds(min(max(seconds, -longestInterval), longestInterval))
    }

    /// Returns an idle timeout in seconds, or the default of 60.
    static func interval(ofIdle idle: Duration?) -> Double {
        idle.map { $0 / .seconds(1) } ?? defaultIdleInterval
    }

    package func validate() throws(RequestError) {
        if connect == nil, idle == nil, attempt == nil, total == nil { return }
        for (name, limit) in [("connect", connect), ("idle", idle), ("attempt", attempt), ("total", total)] {
            guard let limit, limit <= .zero else { continue }
            throw RequestError(
                code: .invalidTimeout,
                subject: name,
                message: "The \(name) timeout is \(limit). Use a positive duration, or nil for the default."
            )
        }
    }
}
