/// Which redirects a client follows, and what of a request goes along.
///
/// Credentials stay where they were meant for: a redirect to another scheme, host or port loses `Authorization`,
/// `Cookie`, `Proxy-Authorization`, `Host`, every field marked sensitive and the request's authentication, and does not
/// get them back later in the chain.
///
/// Policies are equal when their limits and switches are, and their condition is the same one.
///
/// Specification: RFC 9110 §15.4.
public struct RedirectPolicy: Hashable, Sendable {
    /// How many redirects are followed; one more is ``ClientError/Code/redirectLimit``. With 0 the response that
    /// redirects is delivered.
    public let limit: Int

    /// Whether a redirect may lead from `https` to `http`; otherwise it is ``ClientError/Code/refusedDowngrade``.
    public let allowsDowngrade: Bool

    let condition: Identified<@Sendable (ResponseHead, PreparedRequest) -> Bool>?

    private init(
        limit: Int,
        allowsDowngrade: Bool,
        condition: Identified<@Sendable (ResponseHead, PreparedRequest) -> Bool>? = nil
    ) {
        self.limit = limit
        self.allowsDowngrade = allowsDowngrade
        self.condition = condition
    }

    /// Follows no redirect: the response that redirects is delivered.
    public static let never = RedirectPolicy(limit: 0, allowsDowngrade: false)

    /// Follows redirects.
    ///
    /// - Parameters:
    ///   - limit: How many; 10 by default.
    ///   - allowsDowngrade: Whether from `https` to `http` too; `false` by default.
    public static func follow(limit: Int = 10, allowsDowngrade: Bool = false) -> RedirectPolicy {
        RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade)
    }

    /// Follows the redirects that a condition holds for, and delivers the others.
    ///
    /// - Parameters:
    ///   - limit: How many; 10 by default.
    ///   - allowsDowngrade: Whether from `https` to `http` too; `false` by default.
    ///   - condition: Gets the response that redirects and the request that would be sent next.
    public static func follow(
        limit: Int = 10,
        allowsDowngrade: Bool = false,
        where condition: @escaping @Sendable (ResponseHead, PreparedRequest) -> Bool
    ) -> RedirectPolicy {
        RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade, condition: Identified(condition))
    }
}
