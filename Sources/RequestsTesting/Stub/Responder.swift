import Requests
import RequestsClient

/// The source of a stub's replies.
enum Responder: Sendable {
    case reply(StubTransport.Reply)
    case routes(RouteTable)
    case script(Script)

    /// - Returns: The reply, with the index of its route and the values that the route captured.
    func choose(
        for request: PreparedRequest
    ) throws(TransportError) -> (route: Int?, reply: StubTransport.Reply, parameters: [String: String]) {
        switch self {
        case .reply(let reply): return (nil, reply, [:])
        case .routes(let table):
            let choice = try table.choose(for: request)
            return (choice.index, choice.reply, choice.parameters)
        case .script(let script):
            guard let reply = script.next() else {
                throw .unmatched("no reply for \(request); the script's \(script.count) replies are used, so add one")
            }
            return (nil, reply, [:])
        }
    }
}

/// A sequence of replies, each used once.
final class Script: Sendable {
    let count: Int
    private let remaining: Locked<ArraySlice<StubTransport.Reply>>

    init(_ replies: [StubTransport.Reply]) {
        count = replies.count
        remaining = Locked(replies[...])
    }

    func next() -> StubTransport.Reply? {
        remaining.withLock { $0.popFirst() }
    }

    var unusedCount: Int { remaining.withLock { $0.count } }
}
