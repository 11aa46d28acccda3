/// What a request asks of the caches on its way.
///
/// Specification: RFC 9111 §5.2.1.
public struct CacheDirective: RawRepresentable, Hashable, Sendable {
    /// The directive as it is sent.
    public let rawValue: String

    /// Creates a directive.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// No stored response without asking the server.
    public static let noCache = CacheDirective(rawValue: "no-cache")
    /// Nothing of the request or the response is stored.
    public static let noStore = CacheDirective(rawValue: "no-store")
    /// The content stays as it is.
    public static let noTransform = CacheDirective(rawValue: "no-transform")
    /// A stored response, or 504.
    public static let onlyIfCached = CacheDirective(rawValue: "only-if-cached")

    /// No response older than that, in seconds.
    public static func maxAge(_ seconds: Int) -> CacheDirective { CacheDirective(rawValue: "max-age=\(seconds)") }
    /// A stale response too; `nil`, the default, however stale, or for so many seconds.
    public static func maxStale(_ seconds: Int? = nil) -> CacheDirective {
        CacheDirective(rawValue: seconds.map { "max-stale=\($0)" } ?? "max-stale")
    }
    /// A response that stays fresh for so many seconds.
    public static func minFresh(_ seconds: Int) -> CacheDirective { CacheDirective(rawValue: "min-fresh=\(seconds)") }
}
