import Requests

extension StubTransport {
    /// Which requests get which replies.
    ///
    /// ```swift
    /// let transport = StubTransport(routes: [
    ///     .get("/users/{id}", .reply(200, json: user)),                      // each time
    ///     .post("/users", .failure(.closed), then: .reply(201)),             // in order, each once
    ///     .get("/search?q=swift", .reply(200, text: "[]")),                  // any other query items may be there too
    ///     .get("https://cdn.example.com/logo", .reply(200, file: logo)),     // at this origin alone
    /// ])
    /// ```
    ///
    /// A template is the whole path, as RFC 6570 writes it; `{name}` stands for one segment that is not empty, and
    /// other expressions are refused when a request is sent. Segments are compared after percent-decoding.
    public struct Route: Sendable {
        let method: HTTPMethod
        let pattern: RoutePattern
        let replies: [Reply]

        /// Creates a route.
        ///
        /// - Parameters:
        ///   - method: The method.
        ///   - template: The path; before it an origin and behind it query items, where they matter.
        ///   - reply: The reply.
        ///   - later: What further requests get. Without any, all get the same; with some, each reply is given once, and
        ///     a request beyond the last fails with `TransportError.Code.unmatched`.
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
    /// Method and path, without the query: it may hold a secret.
    public var description: String { "\(method) \(pattern.path)" }
}
