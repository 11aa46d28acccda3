import Requests
import RequestsClient

/// The routes of a stub, with the number of calls to each.
final class RouteTable: Sendable {
    struct Choice {
        /// The number of the route, by which the log counts calls. `nil` if there are no routes.
        let route: Int?
        let reply: StubTransport.Reply
        let parameters: [String: String]
        /// The number of the call to the route, starting at 1.
        let call: Int
    }

    private struct State {
        /// The routes with their numbers.
        var entries: [(number: Int, route: StubTransport.Route)] = []
        /// The starts of their paths, which rule out most routes. Apart, because to look at an entry copies it.
        var starts: [String] = []
        /// The number of calls by route.
        var calls: [Int: Int] = [:]
        var next = 0
        /// The error for every request if a template is invalid.
        var fault: String?

        /// Replaces the routes. Those that stay keep their number of calls.
        mutating func replace(_ routes: [StubTransport.Route]) {
            var old = entries
            entries = routes.map { route in
                if let index = old.firstIndex(where: { $0.route.isSame(as: route) }) { return old.remove(at: index) }
                next += 1
                return (next, route)
            }
            starts = routes.map(\.pattern.start)
            fault =
                routes.lazy.compactMap { route in
                    route.pattern.invalidReason.map { "the route \(route) \($0)" }
                }.first
        }
    }

    private let state = Locked(State())

    init(_ routes: [StubTransport.Route]) {
        state.withLock { $0.replace(routes) }
    }

    var entries: [(number: Int, route: StubTransport.Route)] { state.withLock { $0.entries } }

    var routes: [StubTransport.Route] {
        get { entries.map(\.route) }
        set { state.withLock { $0.replace(newValue) } }
    }

    /// Makes all replies unused.
    func reset() {
        state.withLock { $0.calls = [:] }
    }

    func choose(for request: PreparedRequest) throws(TransportError) -> Choice {
        let (entries, starts, fault) = state.withLock { ($0.entries, $0.starts, $0.fault) }
        if let fault { throw .unmatched(fault) }
        let parsed = ParsedRequest(request)
        var used: StubTransport.Route?
        for (index, start) in starts.enumerated() where parsed.pathText.hasPrefix(start) {
            let (number, route) = entries[index]
            guard let parameters = route.captures(from: parsed) else { continue }
            if let (call, reply) = use(route, number) {
                return Choice(route: number, reply: reply, parameters: parameters, call: call)
            }
            used = used ?? route
        }
        if let used {
            let count = used.limit ?? 0
            let shown = count == 1 ? "the reply of \(used) is" : "the \(count) replies of \(used) are"
            throw .unmatched("no reply for \(request); \(shown) used, so add one")
        }
        let misses = entries.map { (route: $0.route, differences: $0.route.differences(from: parsed)) }
        guard let closest = misses.min(by: { $0.differences.isCloser(than: $1.differences) }) else {
            throw .unmatched("no route for \(request), because the stub has no routes; add one")
        }
        throw .unmatched("no route for \(request); the closest is \(closest.route), but \(closest.differences.summary)")
    }

    /// Counts a call to a route. Returns its number and its reply, or `nil` if all replies of the route are used.
    private func use(_ route: StubTransport.Route, _ number: Int) -> (call: Int, reply: StubTransport.Reply)? {
        state.withLock { state in
            let call = state.calls[number, default: 0] + 1
            guard let reply = route.reply(toCall: call) else { return nil }
            state.calls[number] = call
            return (call, reply)
        }
    }
}
