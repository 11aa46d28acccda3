import Requests

/// The routes of a stub, with the unused replies of each.
final class RouteTable: Sendable {
    struct Choice {
        let index: Int
        let reply: StubTransport.Reply
        let parameters: [String: String]
    }

    let routes: [StubTransport.Route]
    private let scripts: [Script]

    init(_ routes: [StubTransport.Route]) {
        self.routes = routes
        scripts = routes.map { Script($0.replies) }
    }

    func choose(for request: PreparedRequest) throws(TransportError) -> Choice {
        for route in routes {
            if let reason = route.pattern.invalidReason { throw .unmatched("the route \(route) \(reason)") }
        }
        let parsed = ParsedRequest(request)
        var closest: (route: StubTransport.Route, differences: [Difference])?
        for (index, route) in routes.enumerated() {
            let differences = route.differences(from: parsed)
            guard !differences.isEmpty else {
                let parameters = route.pattern.captures(from: parsed.path) ?? [:]
                return Choice(index: index, reply: try reply(at: index, to: request), parameters: parameters)
            }
            if differences.weight < closest?.differences.weight ?? .max { closest = (route, differences) }
        }
        guard let closest else { throw .unmatched("no route for \(request), because the stub has no routes; add one") }
        throw .unmatched("no route for \(request); the closest is \(closest.route), but \(closest.differences.summary)")
    }

    private func reply(at index: Int, to request: PreparedRequest) throws(TransportError) -> StubTransport.Reply {
        let (route, script) = (routes[index], scripts[index])
        if script.count == 1, let reply = route.replies.first { return reply }
        if let reply = script.next() { return reply }
        throw .unmatched("no reply for \(request); the \(script.count) replies of \(route) are used, so add one")
    }
}
