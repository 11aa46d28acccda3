import Requests
import RequestsClient

extension StubTransport {
    /// The error of ``verify()``: how a test's requests differ from the expected ones.
    public struct Unverified: Error, Hashable, CustomStringConvertible {
        /// A message for each route that wasn't called as expected, with its number of calls.
        public let routes: [String]
        /// A message for each request that had no reply.
        public let unmatched: [String]

        /// All messages, one per line.
        public var description: String { (routes + unmatched).joined(separator: "\n") }
    }

    /// The requests that were sent since the last ``reset()``, oldest first, including failed ones.
    ///
    /// A streamed body is read into memory if it has at most 16 MiB, and otherwise stays a stream.
    public var requests: [PreparedRequest] { log.entries.map(\.request) }

    /// Waits until the stub has received a number of requests with their whole bodies.
    ///
    /// The wait ends only with these requests or its task, so the test needs a time limit.
    ///
    /// - Parameter count: The number of requests since the last ``reset()``. Default: 1.
    /// - Throws: `CancellationError` if the task is canceled.
    public func waitForRequests(_ count: Int = 1) async throws { try await log.wait(forRequests: count) }

    /// Returns the elements of ``requests`` to which a route replied, oldest first.
    ///
    /// If the route isn't one of the stub's routes, returns all requests that match it, such as
    /// `stub.requests(to: .get("/users/**"))`.
    public func requests(to route: Route) -> [PreparedRequest] {
        if case .routes(let table) = responder {
            let numbers = table.entries.filter { $0.route.isSame(as: route) }.map { StubLog.Outcome.route($0.number) }
            if !numbers.isEmpty { return log.entries.filter { numbers.contains($0.outcome) }.map(\.request) }
        }
        return requests.filter { route.captures(from: ParsedRequest($0)) != nil }
    }

    /// Checks that every request had a reply, and that every reply was used.
    ///
    /// Each route must have been called at least once, or as often as `Route.expecting(calls:)` specifies, and each
    /// reply of a script must have been used. Requests that the fallback sent aren't checked.
    ///
    /// - Throws: ``Unverified`` with a message for each route and request that differs.
    public func verify() throws(Unverified) {
        let (calls, unmatched) = log.results
        var routes: [String] = []
        switch responder {
        case .routes(let table):
            let equal = Dictionary(grouping: table.entries) { "\($0.route)" }
            for (index, (number, route)) in table.entries.enumerated() {
                let calls = calls[number] ?? 0
                if route.expectedCalls.contains(calls) { continue }
                let shown = calls == 0 ? "never called" : calls == 1 ? "called 1 time" : "called \(calls) times"
                let place = equal["\(route)"]?.count == 1 ? "" : " (route \(index + 1))"
                routes.append("\(route)\(place) was \(shown), expected: \(route.expectedCalls.shortDescription)")
            }
        case .script(let script):
            let unused = script.unusedCount
            if unused > 0 { routes.append("\(unused) of \(script.count) replies of the script weren't used") }
        }
        if !routes.isEmpty || !unmatched.isEmpty { throw Unverified(routes: routes, unmatched: unmatched) }
    }
}

extension Range<Int> {
    fileprivate var shortDescription: String {
        if upperBound == .max { return "at least \(lowerBound)" }
        return count == 1 ? "\(lowerBound)" : "\(lowerBound) to \(upperBound - 1)"
    }
}
