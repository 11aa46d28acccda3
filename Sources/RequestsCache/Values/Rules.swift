import Requests

extension HTTPCache {
    /// The rules of a cache, as pure functions.
    ///
    /// ```swift
    /// let rules = HTTPCache.Rules()
    /// let answer = rules.answer(to: try request.prepared(), from: [stored], at: Date())
    /// ```
    ///
    /// They answer two questions: which stored response may serve a request (``answer(to:from:at:)``), and what follows
    /// from a response of the server (``effect(of:to:updating:requestTime:responseTime:isDecoded:)``).
    ///
    /// Specification: RFC 9111, RFC 5861, RFC 8246.
    public struct Rules: Sendable {
        /// Whether the cache serves several users, as a proxy does. Default: `false`.
        public var isShared: Bool

        /// The share of the time since `Last-Modified` for which a response without a lifetime is fresh. Default: 0.1
        /// (RFC 9111 §4.2.2).
        public var heuristicFraction = 0.1

        /// Whether a stale response is served if the server can't be reached, unless the response forbids it. Default:
        /// `true` (RFC 9111 §4.2.4).
        public var servesStaleIfDisconnected = true

        /// The key of the digests of sensitive fields.
        var key: [UInt8] = []

        /// Whether the authentication provider names the user, so that the fields that it changes needn't match.
        var hasIdentity = false

        /// Creates the rules.
        public init(isShared: Bool = false) {
            self.isShared = isShared
        }
    }

    /// Which stored response may serve a request.
    public enum Answer: Equatable, Sendable {
        /// The stored response is fresh, or the request accepts it as it is.
        case fresh(Selection)
        /// The stored response is stale and may be served. With a request, it must be revalidated in the meantime (RFC
        /// 5861 §3).
        case stale(Selection, revalidation: PreparedRequest?)
        /// The server must confirm the stored response. The request asks for that, if there is a validator.
        case revalidate(Selection, with: PreparedRequest)
        /// The request asks for the missing part of the stored response (RFC 9111 §3.4).
        case complete(Selection, with: PreparedRequest)
        /// No stored response fits.
        case miss(reason: String)
        /// No stored response fits, and the request must not be sent (RFC 9111 §5.2.1.7).
        case unsatisfiable(reason: String)
    }

    /// The stored response that fits a request best.
    public struct Selection: Hashable, Sendable {
        /// The position in the list of stored responses.
        public var index: Int
        /// The current age, in seconds (RFC 9111 §4.2.3).
        public var age: Int
        /// The rule that was followed.
        public var reason: String
    }

    /// The effect of a server's response on the store.
    public enum Effect: Hashable, Sendable {
        /// The response is stored.
        case store(StoredResponse)
        /// The stored response is updated.
        case freshen(StoredResponse)
        /// The stored responses of these URLs are removed.
        case invalidate([RequestURL], reason: String)
        /// Nothing changes.
        case ignore(reason: String)
    }
}
