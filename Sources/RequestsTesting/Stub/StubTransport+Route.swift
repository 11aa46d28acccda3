import Requests

extension StubTransport {
    /// A route of a stub: a pattern for requests, and the replies to them.
    ///
    /// ```swift
    /// let transport = StubTransport(routes: [
    ///     .get("/users/{id}", .reply(200, json: user)),                  // used for every request
    ///     .post("/users", .failure(.closed), then: .reply(201)),             // each reply used once, in order
    ///     .get("/search?q=swift", .reply(200, jsonText: "[]")),              // other query items are allowed
    ///     .get("https://cdn.example.com/logo", .reply(200, file: logo)),     // only for this origin
    ///     .any("/files/**", .reply(404)),                                    // any method, everything below
    /// ])
    /// ```
    ///
    /// A template must match the whole path. `{name}` matches one nonempty segment and passes it to the reply, `*`
    /// matches one nonempty segment, and `**` matches any number of segments. If a template contains any other
    /// expression, every request fails. Segments are compared after percent-decoding, so `%2A` is a literal `*`.
    public struct Route: Sendable {
        /// `nil` for any method.
        let method: HTTPMethod?
        let pattern: RoutePattern
        let replies: [Reply]
        private(set) var conditions: [Condition] = []
        private(set) var expectedCalls: Range<Int>
        private let identity = Identity()

        /// Creates a route.
        ///
        /// - Parameters:
        ///   - method: The method. `nil` for any method.
        ///   - template: The path, optionally with an origin before it and query items after it.
        ///   - reply: The reply. Default: an empty response with status 200.
        ///   - later: The replies to further requests. If empty, `reply` is used for every request. Otherwise, each
        ///     reply is used once, and another request fails with `TransportError.Code.unmatched`.
        public init(_ method: HTTPMethod?, _ template: String, _ reply: Reply = .reply(200), then later: Reply...) {
            self.init(method, template, [reply] + later)
        }

        init(_ method: HTTPMethod?, _ template: String, _ replies: [Reply]) {
            self.method = method
            self.pattern = RoutePattern(template)
            self.replies = replies
            // If there are several replies, each is expected to be used once.
            expectedCalls = replies.count > 1 ? replies.count..<replies.count + 1 : 1..<Int.max
        }

        /// Returns the route restricted to requests that also meet the conditions.
        public func matching(_ conditions: Condition...) -> Route {
            var copy = self
            copy.conditions += conditions
            return copy
        }

        /// Returns the route with the exact number of calls that ``StubTransport/verify()`` expects.
        ///
        /// - Parameter calls: The number of calls. If this isn't set, a route expects at least one call, or one for
        ///   each reply if it has several.
        public func expecting(calls: Int) -> Route { expecting(calls: calls...calls) }

        /// Returns the route with the range of numbers of calls that ``StubTransport/verify()`` accepts, such as
        /// `0...`.
        public func expecting(calls: some RangeExpression<Int>) -> Route {
            var copy = self
            copy.expectedCalls = calls.relative(to: 0..<Int.max)
            return copy
        }

        func isSame(as other: Route) -> Bool { identity === other.identity }
    }

    /// The identity of a route, because two routes can have the same template.
    private final class Identity: Sendable {}
}

extension StubTransport.Route: CustomStringConvertible {
    /// The method and path. The query is omitted because it may contain a secret.
    public var description: String { "\(method?.rawValue ?? "ANY") \(pattern.path)" }
}
