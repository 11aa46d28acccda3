/// How long a transport waits, each limit on its own.
///
/// In a request, `nil` means the client's limit; in a client, the transport's own.
public struct Timeouts: Hashable, Sendable {
    /// Until the connection stands: name resolution, TLS and the wait for a free one included. Without a limit, `idle` ends
    /// a stall.
    public var connect: Duration?

    /// Without a byte moving in either direction; 60 seconds where nobody sets it. It does not run while the reader
    /// of a response body is the slow side.
    public var idle: Duration?

    /// From the call to the last byte of the response. No limit where nobody sets it.
    public var total: Duration? { didSet { allowedTotal = nil } }

    /// What `total` is the rest of; `nil` where it is no rest.
    private var allowedTotal: Duration?

    /// Creates limits.
    public init(connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }

    /// What ends a stall where nobody sets another limit.
    package static let defaultIdle = Duration.seconds(60)
    static let defaultIdleInterval = 60.0
    /// More than a century is never: no clock can wait for all that a number can say.
    static let longest = Duration.seconds(longestInterval)
    static let longestInterval = 100.0 * 366 * 86_400

    /// Leaves the rest of a total timeout, which errors go on to name as it was set.
    mutating func leave(_ rest: Duration, ofTotal allowed: Duration) {
        total = rest
        allowedTotal = allowed
    }

    /// The total timeout as it was set.
    var statedTotal: Duration? { allowedTotal ?? total }

    /// Returns the limits with the unset ones taken from `other`.
    package func filled(from other: Timeouts) -> Timeouts {
        Timeouts(connect: connect ?? other.connect, idle: idle ?? other.idle, total: total ?? other.total)
    }

    /// An interval in seconds as a duration, at most a century.
    ///
    /// What is no number becomes a negative duration, which ``validate()`` refuses: `Duration` itself traps on what it
    /// cannot hold.
    static func duration(_ seconds: Double) -> Duration {
        seconds.isNaN ? .seconds(-1) : .seconds(min(max(seconds, -longestInterval), longestInterval))
    }

    /// An idle timeout in seconds, as Foundation has it: 60 where there is none.
    static func interval(ofIdle idle: Duration?) -> Double {
        idle.map { $0 / .seconds(1) } ?? defaultIdleInterval
    }

    func validate() throws(RequestError) {
        if connect == nil, idle == nil, total == nil { return }
        for (name, limit) in [("connect", connect), ("idle", idle), ("total", total)] {
            guard let limit, limit <= .zero else { continue }
            throw RequestError(
                code: .invalidTimeout,
                culprit: name,
                message: "the \(name) timeout is \(limit); set more than zero, or nil for no limit of its own"
            )
        }
    }
}

extension Timeouts {
    /// Compares the limits, whatever they are the rest of.
    public static func == (lhs: Timeouts, rhs: Timeouts) -> Bool {
        lhs.connect == rhs.connect && lhs.idle == rhs.idle && lhs.total == rhs.total
    }

    /// Hashes the limits.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(connect)
        hasher.combine(idle)
        hasher.combine(total)
    }
}
