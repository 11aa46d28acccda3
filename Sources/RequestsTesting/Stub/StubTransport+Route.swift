import Requests

extension StubTransport {
    /// A route of a stub: a pattern for requests, and the replies to them.
    ///
    /// ```swift
    /// let transport = StubTransport(routes: [
    ///     // Used for every request.
    ///     .get("/users/{id}", .reply(200, json: user)),
    ///     // Each reply used once, in order.
    ///     .post("/users", .failure(.closed), then: .reply(201)),
    ///     // Other query items are allowed.
    ///     .get("/search?q=swift", .reply(200, jsonText: "[]")),
    ///     // Only for this origin.
    ///     .get("https://cdn.example.com/logo", .reply(200, file: logo)),
    ///     // Any method, everything below.
    ///     .any("/files/**", .reply(404)),
    /// ])
    /// ```
    ///
    /// A template must match the whole path. `{name}` matches at least one character of a segment and passes it to the
    /// reply, `*` matches at least one character, and `**` matches any number of segments. Text can be before, between
    /// and after the expressions of a segment, as in `/files/{name}.json`. A host can be `*`, or start with `*.` for
    /// any subdomain. If a template contains any other expression, every request fails. Segments are compared after
    /// percent-decoding, so `%2A` is a literal `*`. In a query, expressions are literal, and an item without a value
    /// accepts any value.
    ///
    /// A route whose replies are used is skipped, so that a later route can match.
    public struct Route: Sendable {
        /// `nil` for any method.
        let method: HTTPMethod?
        let pattern: RoutePattern
        let replies: [Reply]
        /// The number of calls that get a reply. The last reply is repeated if there are fewer. `nil` for any number.
        private(set) var limit: Int?
        private(set) var conditions: [Condition]
        private var expectation: Range<Int>?
        private var identity = Identity()

        /// Creates a route.
        ///
        /// - Parameters:
        ///   - method: The method. `nil` for any method.
        ///   - template: The path, optionally with an origin before it and query items after it.
        ///   - reply: The reply. Default: an empty response with status 200.
        ///   - later: The replies to further requests. If empty, `reply` is used for every request. Otherwise, each
        ///     reply is used once.
        ///   - last: The reply to all requests after those. Default: `nil`, which means none.
        public init(
            _ method: HTTPMethod?,
            _ template: String,
            _ reply: Reply = .reply(200),
            then later: Reply...,
            thenAlways last: Reply? = nil
        ) {
            self.init(method, template, [reply] + later, last)
        }

        init(_ method: HTTPMethod?, _ template: String, _ replies: [Reply], _ last: Reply?) {
            self.method = method
            self.pattern = RoutePattern(template)
            conditions = pattern.items.map { .query($0.name, $0.value) }
            self.replies = replies + (last.map { [$0] } ?? [])
            limit = last != nil || replies.count == 1 ? nil : replies.count
        }

        /// Returns the route restricted to requests that also meet the conditions.
        public func matching(_ conditions: Condition...) -> Route {
            changed { $0.conditions += conditions }
        }

        /// Returns the route with each of its replies used once, so that further requests go to later routes.
        public func once() -> Route { times(replies.count) }

        /// Returns the route for a number of requests, so that further requests go to later routes.
        ///
        /// ```swift
        /// let routes: [StubTransport.Route] = [
        ///     .get("/job", .reply(202)).times(3), .get("/job", .reply(200)),
        /// ]
        /// ```
        ///
        /// - Parameter count: The number of requests. The last reply is repeated if the route has fewer replies.
        public func times(_ count: Int) -> Route { changed { $0.limit = count } }

        /// Returns the route with the exact number of calls that ``StubTransport/verify()`` expects.
        ///
        /// - Parameter calls: The number of calls. If this isn't set, a route expects a call for each of its replies,
        ///   and accepts more if it replies to them.
        public func expecting(calls: Int) -> Route { expecting(calls: calls...calls) }

        /// Returns the route with the range of numbers of calls that ``StubTransport/verify()`` accepts, such as
        /// `0...`.
        public func expecting(calls: some RangeExpression<Int>) -> Route {
            changed { $0.expectation = calls.relative(to: 0..<Int.max) }
        }

        /// Returns the route with no call required by ``StubTransport/verify()``. The maximum number of calls stays.
        public func optional() -> Route { expecting(calls: 0..<expectedCalls.upperBound) }

        var expectedCalls: Range<Int> {
            expectation ?? (limit ?? replies.count)..<(limit.map { $0 + 1 } ?? .max)
        }

        /// Returns the reply to a call, counted from 1. `nil` if all replies are used.
        func reply(toCall call: Int) -> Reply? {
            call <= limit ?? .max ? replies[min(call, replies.count) - 1] : nil
        }

        func isSame(as other: Route) -> Bool { identity === other.identity }

        /// A changed route is another route, because a stub can have both.
        private func changed(_ change: (inout Route) -> Void) -> Route {
            var copy = self
            change(&copy)
            copy.identity = Identity()
            return copy
        }
    }

    /// The identity of a route, because two routes can have the same template.
    private final class Identity: Sendable {}
}

extension StubTransport.Route: CustomStringConvertible {
    /// The method and path. The query is omitted because it may contain a secret.
    public var description: String { "\(method?.rawValue ?? "ANY") \(pattern.path)" }
}
