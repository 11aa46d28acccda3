extension Field {
    /// A directive of `Cache-Control` in a request.
    ///
    /// Specification: RFC 9111 §5.2.1.
    public struct CacheDirective: RawRepresentable, Hashable, Sendable {
        /// The directive as it is sent.
        public let rawValue: String

        /// Creates a directive.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Caches must validate a stored response with the server before they use it.
        public static let noCache = CacheDirective(rawValue: "no-cache")
        /// Caches must not store any part of the request or the response.
        public static let noStore = CacheDirective(rawValue: "no-store")
        /// Intermediaries must not transform the content.
        public static let noTransform = CacheDirective(rawValue: "no-transform")
        /// Caches must respond with a stored response or with status 504.
        public static let onlyIfCached = CacheDirective(rawValue: "only-if-cached")

        /// Accepts a stored response up to this age, in seconds.
        public static func maxAge(_ seconds: Int) -> CacheDirective { CacheDirective(rawValue: "max-age=\(seconds)") }
        /// Accepts a stored response that has been stale for up to this many seconds. Default: `nil`, for any time.
        public static func maxStale(_ seconds: Int? = nil) -> CacheDirective {
            CacheDirective(rawValue: seconds.map { "max-stale=\($0)" } ?? "max-stale")
        }
        /// Accepts a stored response that stays fresh for at least this many seconds.
        public static func minFresh(_ seconds: Int) -> CacheDirective {
            CacheDirective(rawValue: "min-fresh=\(seconds)")
        }
    }
}
