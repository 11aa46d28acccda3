import Requests
import RequestsClient
import RequestsSystem

/// A reproducible plan of delays and faults for a transport, derived from a seed.
///
/// ```swift
/// let plan = FaultPlan(
///     seed: 7,
///     faults: [.truncated: 0.2, .status(503, count: 2): 0.1],
///     delay: .fixed(.seconds(1))
/// )
/// let client = Client(
///     transport: plan.applied(to: StubTransport(routes: [.get("/a")]))
/// )
/// ```
///
/// The fault of a request depends only on the seed, its method and URL, and the number of earlier requests with the
/// same method and URL. So the same seed reproduces a failure, even if requests run concurrently.
public struct FaultPlan: Sendable {
    /// The number that all decisions are derived from.
    public var seed: UInt64

    /// The faults, each with its probability from 0 to 1. A request has at most one fault, so the sum must not exceed
    /// 1.
    public var faults: KeyValuePairs<Fault, Double>

    /// The delay before each request is sent.
    public var delay: Delay

    /// The clock that measures delays, drips and the request's timeouts.
    public var clock: any Clock<Duration>

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - seed: The number that all decisions are derived from.
    ///   - faults: The faults, each with its probability. Default: ``Fault/all``.
    ///   - delay: The delay before each request is sent. Default: none.
    ///   - clock: The clock that measures delays, drips and timeouts. Default: the system's clock.
    public init(
        seed: UInt64,
        faults: KeyValuePairs<Fault, Double> = Fault.all,
        delay: Delay = .fixed(.zero),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.seed = seed
        self.faults = faults
        self.delay = delay
        self.clock = clock
    }

    /// Returns a transport that sends requests over another transport and injects the plan's faults.
    public func applied(to transport: any Transport) -> FaultyTransport {
        FaultyTransport(transport, plan: self)
    }
}

extension FaultPlan {
    /// A fault of a connection or a server.
    public enum Fault: Hashable, Sendable {
        /// The connection is refused. The request isn't sent.
        case refused
        /// The connection closes before the response. The request is sent, but its response is lost.
        case closedBeforeHead
        /// The connection closes inside the response's header.
        case closedInHead
        /// The connection closes between the response's header and its body.
        case closedAfterHead
        /// The connection closes at a random position of the body's first chunk.
        case truncated
        /// The response isn't valid HTTP.
        case garbage
        /// The body arrives in pieces of at most `bytes` bytes, with a wait before each.
        case drip(bytes: Int, every: Duration)
        /// The server responds with a status, such as 503, and the request isn't sent. Later requests with the same
        /// method and URL get the same response, until `count` responses were returned.
        case status(Int, count: Int)

        /// Every kind of fault, each with a probability of 5%. A drip waits 10 ms before each 16 bytes, and status 503
        /// comes in bursts of two responses.
        public static let all: KeyValuePairs<Fault, Double> = [
            .refused: 0.05, .closedBeforeHead: 0.05, .closedInHead: 0.05, .closedAfterHead: 0.05, .truncated: 0.05,
            .garbage: 0.05, .drip(bytes: 16, every: .milliseconds(10)): 0.05, .status(503, count: 2): 0.05,
        ]
    }

    /// The distribution of delays.
    public enum Delay: Hashable, Sendable {
        /// The same delay for each request.
        case fixed(Duration)
        /// A random delay like that of a network: most are near the median, and some are much longer.
        ///
        /// `sigma` is the standard deviation of the logarithm. With 0.5, one of 20 delays is longer than 2.3 times the
        /// median.
        case logNormal(median: Duration, sigma: Double)
    }
}

extension FaultPlan {
    /// The fault and the delay of one request.
    struct Decision: Equatable {
        var delay: Duration
        var fault: Fault?
        /// The position of a ``Fault/truncated`` fault in the first chunk, as a fraction from 0 to 1.
        var position: Double
    }

    /// - Parameter earlier: The number of earlier requests with the same method and URL.
    func decision(for request: PreparedRequest, earlier: Int) -> Decision {
        var choice = choose(request, earlier)
        // A burst that began with an earlier request continues.
        for back in stride(from: 1, through: min(earlier, longestBurst - 1), by: 1) {
            let before = choose(request, earlier - back).fault
            if case .status(_, let count) = before, count > back { choice.fault = before }
        }
        return choice
    }

    private var longestBurst: Int {
        faults.map { if case .status(_, let count) = $0.key { count } else { 1 } }.max() ?? 1
    }

    private func choose(_ request: PreparedRequest, _ earlier: Int) -> Decision {
        var random = SplitMix(seed: seed, "\(request.method) \(request.url.text) \(earlier)")
        // Drawn in a fixed order, so that changing one part of the plan doesn't change the others.
        var left = random.fraction()
        let position = random.fraction()
        let delay = delay.duration(&random)
        for (fault, probability) in faults {
            if left < probability { return Decision(delay: delay, fault: fault, position: position) }
            left -= probability
        }
        return Decision(delay: delay, fault: nil, position: position)
    }
}

extension FaultPlan.Delay {
    fileprivate func duration(_ random: inout SplitMix) -> Duration {
        switch self {
        case .fixed(let delay): return delay
        case .logNormal(let median, let sigma):
            // The Box-Muller transform. The argument of the logarithm is never 0, because `fraction()` is below 1.
            let radius = (-2 * log(1 - random.fraction())).squareRoot()
            return median * exp(sigma * radius * cos(2 * .pi * random.fraction()))
        }
    }
}

/// A generator of random numbers that are the same on every platform.
///
/// Specification: https://prng.di.unimi.it/splitmix64.c
private struct SplitMix {
    private var state: UInt64

    init(seed: UInt64, _ text: String) {
        // This is the FNV-1a hash, because `Hasher` returns a different value in each process.
        state = text.utf8.reduce(0xcbf2_9ce4_8422_2325 ^ seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// Returns a number from 0 up to, but not including, 1.
    mutating func fraction() -> Double {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
    }
}
