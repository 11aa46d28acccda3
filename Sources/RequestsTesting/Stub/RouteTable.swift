import Requests

/// The routes of a stub, with the replies that are left for each.
final class RouteTable: Sendable {
    private let entries: [(route: StubTransport.Route, script: Script)]

    init(_ routes: [StubTransport.Route]) {
        entries = routes.map { ($0, Script($0.replies)) }
    }

    func reply(to request: PreparedRequest) throws(TransportError) -> StubTransport.Reply {
        for (route, _) in entries {
            if let reason = route.pattern.invalidReason { throw .unmatched("the route \(route) \(reason)") }
        }
        var closest: (route: StubTransport.Route, differences: [Difference])?
        for (route, script) in entries {
            let differences = route.differences(from: request)
            guard !differences.isEmpty else {
                if script.count == 1, let reply = route.replies.first { return reply }
                if let reply = script.next() { return reply }
                throw .unmatched("no reply for \(request); all \(script.count) replies of the route \(route) are used")
            }
            if differences.weight < closest?.differences.weight ?? .max { closest = (route, differences) }
        }
        guard let closest else { throw .unmatched("no route for \(request); the stub has no routes") }
        throw .unmatched("no route for \(request); the closest is \(closest.route), but \(closest.differences.summary)")
    }
}
