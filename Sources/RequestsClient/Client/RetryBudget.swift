/// Limits retries to a share of all requests, so that they don't add to the load of a server that is failing.
///
/// ```swift
/// client.configuration.retries = .exponential()
/// client.configuration.retryBudget = RetryBudget(share: 0.2)
/// ```
///
/// Every request adds `share` to the budget, and every retry takes 1 from it. Clients that share a budget share its
/// limit.
public final class RetryBudget: Sendable {
    private let share: Double
    private let maximum: Double
    private let tokens: Locked<Double>

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - share: The retries earned per request. Default: 0.2, which is one per five requests.
    ///   - reserve: The initial and maximum balance, in retries. Default: 10.
    public init(share: Double = 0.2, reserve: Int = 10) {
        self.share = min(max(share, 0), 1)
        maximum = Double(max(reserve, 0))
        tokens = Locked(maximum)
    }

    func addRequest() { tokens.withLock { $0 = min($0 + share, maximum) } }

    /// Takes a retry from the budget. Returns `false` if it is used up.
    func takeRetry() -> Bool {
        tokens.withLock { tokens in
            guard tokens >= 1 else { return false }
            tokens -= 1
            return true
        }
    }
}
