import Requests

/// The routes of a stub, and how far the script of each has come.
final class RouteTable: Sendable {
    private let entries: [(route: StubTransport.Route, script: Script)]

    init(_ routes: [StubTransport.Route]) {
        entries = routes.map { ($0, Script($0.replies)) }
    }

    func reply(to request: PreparedRequest) throws(TransportError) -> StubTransport.Reply {
        for (route, _) in entries {
            if let fault = route.pattern.fault { throw .unmatched("the route \(route) \(fault)") }
        }
        var nearest: (route: StubTransport.Route, differences: [Difference])?
        for (route, script) in entries {
            let differences = route.differences(from: request)
            guard !differences.isEmpty else {
                if script.count == 1, let reply = route.replies.first { return reply }
                if let reply = script.next() { return reply }
                let spent = "has given its \(script.count) replies"
                throw .unmatched("the route \(route) \(spent); none is left for \(request)")
            }
            if differences.weight < nearest?.differences.weight ?? .max { nearest = (route, differences) }
        }
        guard let nearest else { throw .unmatched("there are no routes, and so none for \(request)") }
        throw .unmatched("no route for \(request); the nearest is \(nearest.route), but \(nearest.differences.words)")
    }
}
