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

    /// All requests that were sent so far, oldest first, including failed ones.
    ///
    /// A streamed body of up to 16 MiB is in memory.
    public var requests: [PreparedRequest] { log.entries.map(\.request) }

    /// Returns the requests to which a route responded, oldest first.
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
        let entries = log.entries
        let unmatched = entries.compactMap { entry in
            if case .unmatched(let message) = entry.outcome { message } else { nil as String? }
        }
        var routes: [String] = []
        switch responder {
        case .reply: break
        case .routes(let table):
            var calls = Array(repeating: 0, count: table.routes.count)
            for case .route(let index) in entries.map(\.outcome) { calls[index] += 1 }
            for (route, calls) in zip(table.routes, calls) where !route.expectedCalls.contains(calls) {
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

/// The sent requests, in order, with their results.
final class StubLog: Sendable {
    enum Outcome: Equatable {
        /// Without a route: the request is in progress, or another transport or a script has the reply.
        case other
        case route(Int)
        case unmatched(String)
    }

    struct Entry {
        /// The request, with its body in memory once it was read.
        var request: PreparedRequest
        var outcome = Outcome.other
    }

    private let state = Locked<[Entry]>([])

    var entries: [Entry] { state.withLock { $0 } }

    /// - Returns: The index of the entry.
    func append(_ request: PreparedRequest) -> Int {
        state.withLock { entries in
            entries.append(Entry(request: request))
            return entries.count - 1
        }
    }

    func update(_ request: PreparedRequest, at index: Int) {
        state.withLock { $0[index].request = request }
    }

    func note(_ outcome: Outcome, at index: Int) {
        state.withLock { $0[index].outcome = outcome }
    }
}
