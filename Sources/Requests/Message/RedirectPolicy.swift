/// Decides which redirects a client follows.
///
/// A redirect to another scheme, host or port removes `Authorization`, `Cookie`, `Proxy-Authorization`, `Host`, all
/// sensitive fields and the request's authentication. Later redirects don't restore them. If the body contains
/// credentials, such a redirect throws ``ClientError/Code/crossOriginBody``.
///
/// Policies are equal if their limits and flags are equal and they share the same condition.
///
/// Specification: RFC 9110 §15.4.
public struct RedirectPolicy: Hashable, Sendable {
    /// The maximum number of redirects, which may lead to the same URL again. One more throws
    /// ``ClientError/Code/redirectLimit``. With 0, the caller gets the response that redirects.
    public let limit: Int

    /// Whether redirects from `https` to `http` are followed. Otherwise they throw
    /// ``ClientError/Code/refusedDowngrade``.
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

    /// The settings in one line. A condition is shown by its identity, by which it is compared.
    package var summary: String {
        "limit \(limit)" + (allowsDowngrade ? ", allowsDowngrade" : "")
            + (condition.map { ", condition \(ObjectIdentifier($0))" } ?? "")
    }

    /// Follows no redirects. The caller gets the response that redirects.
    public static let never = RedirectPolicy(limit: 0, allowsDowngrade: false)

    /// Follows redirects.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of redirects. Default: 10.
    ///   - allowsDowngrade: Whether redirects from `https` to `http` are followed. Default: `false`.
    public static func follow(limit: Int = 10, allowsDowngrade: Bool = false) -> RedirectPolicy {
        RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade)
    }

    /// Follows the redirects that satisfy a condition. For others, the caller gets the response that redirects.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of redirects. Default: 10.
    ///   - allowsDowngrade: Whether redirects from `https` to `http` are followed. Default: `false`.
    ///   - condition: Receives the response that redirects and the request that would follow.
    public static func follow(
        limit: Int = 10,
        allowsDowngrade: Bool = false,
        where condition: @escaping @Sendable (ResponseHead, PreparedRequest) -> Bool
    ) -> RedirectPolicy {
        RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade, condition: Identified(condition))
    }
}
