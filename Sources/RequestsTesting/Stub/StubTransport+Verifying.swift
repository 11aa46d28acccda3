import Requests
import RequestsClient

extension StubTransport {
    /// The differences between a test's requests and its stubs.
    public struct Unverified: Error, Hashable, CustomStringConvertible {
        /// The routes that weren't called as expected, each with its number of calls.
        public let routes: [String]
        /// The messages of the requests that had no reply.
        public let unmatched: [String]

        /// One line for each route and each request.
        public var description: String { (routes + unmatched).joined(separator: "\n") }
    }

    /// The requests that were sent so far, oldest first, including failed ones.
    ///
    /// The last 10,000 requests are kept, and the last 64 MiB of their bodies. ``forgottenRequestCount`` is the number
    /// of earlier requests, and reading an earlier body throws. A streamed body of up to 16 MiB is in memory.
    public var requests: [PreparedRequest] { log.entries.map(\.request) }

    /// The number of requests that aren't in ``requests`` any more. ``verify()`` counts them, too.
    public var forgottenRequestCount: Int { log.forgottenCount }

    /// Returns the requests to which a route responded, oldest first, out of ``requests``.
    ///
    /// If the route isn't one of the stub's routes, returns all requests that match it, such as
    /// `stub.requests(to: .get("/users/**"))`.
    public func requests(to route: Route) -> [PreparedRequest] {
        if case .routes(let table) = responder, let index = table.routes.firstIndex(where: route.isSame) {
            return log.entries.filter { $0.outcome == .route(index) }.map(\.request)
        }
        return requests.filter { route.differences(from: ParsedRequest($0)).isEmpty }
    }

    /// Checks that every request had a reply, and that every reply was used.
    ///
    /// Each route must have been called at least once, or as often as `Route.expecting(calls:)` says, and each reply
    /// of a script must have been used. Requests that the fallback sent aren't checked.
    ///
    /// - Throws: ``Unverified`` with everything that differs.
    public func verify() throws(Unverified) {
        let (calls, unmatched) = log.results
        var routes: [String] = []
        switch responder {
        case .reply: break
        case .routes(let table):
            for (index, route) in table.routes.enumerated() {
                let calls = calls[index] ?? 0
                if route.expectedCalls.contains(calls) { continue }
                routes.append("\(route) was called \(calls) times, not \(route.expectedCalls.shortDescription)")
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
