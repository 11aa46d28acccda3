import Requests

extension StubTransport {
    /// A route: the requests that it matches, and their replies.
    ///
    /// ```swift
    /// let transport = StubTransport(routes: [
    ///     .get("/users/{id}", .reply(200, json: user)),                      // used for every request
    ///     .post("/users", .failure(.closed), then: .reply(201)),             // each reply used once, in order
    ///     .get("/search?q=swift", .reply(200, text: "[]")),                  // other query items are allowed
    ///     .get("https://cdn.example.com/logo", .reply(200, file: logo)),     // only for this origin
    /// ])
    /// ```
    ///
    /// A template is the whole path, as in RFC 6570. `{name}` matches one nonempty segment. Requests fail if a template
    /// contains any other expression. Segments are compared after percent-decoding.
    public struct Route: Sendable {
        let method: HTTPMethod
        let pattern: RoutePattern
        let replies: [Reply]

        /// Creates a route.
        ///
        /// - Parameters:
        ///   - method: The method.
        ///   - template: The path, optionally with an origin before it and query items after it.
        ///   - reply: The reply.
        ///   - later: The replies to further requests. If empty, `reply` is used for every request. Otherwise, each
        ///     reply is used once, and another request fails with `TransportError.Code.unmatched`.
        public init(_ method: HTTPMethod, _ template: String, _ reply: Reply, then later: Reply...) {
            self.init(method, template, [reply] + later)
        }

        private init(_ method: HTTPMethod, _ template: String, _ replies: [Reply]) {
            self.method = method
            self.pattern = RoutePattern(template)
            self.replies = replies
        }

        /// A route for `GET`.
        public static func get(_ template: String, _ reply: Reply, then later: Reply...) -> Route {
            Route(.get, template, [reply] + later)
        }

        /// A route for `POST`.
        public static func post(_ template: String, _ reply: Reply, then later: Reply...) -> Route {
            Route(.post, template, [reply] + later)
        }

        /// A route for `PUT`.
        public static func put(_ template: String, _ reply: Reply, then later: Reply...) -> Route {
            Route(.put, template, [reply] + later)
        }

        /// A route for `PATCH`.
        public static func patch(_ template: String, _ reply: Reply, then later: Reply...) -> Route {
            Route(.patch, template, [reply] + later)
        }

        /// A route for `DELETE`.
        public static func delete(_ template: String, _ reply: Reply, then later: Reply...) -> Route {
            Route(.delete, template, [reply] + later)
        }
    }
}

extension StubTransport.Route: CustomStringConvertible {
    /// The method and path. The query is omitted because it may contain a secret.
    public var description: String { "\(method) \(pattern.path)" }
}
