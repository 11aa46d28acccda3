import Requests
import RequestsClient

/// The source of a stub's replies.
enum Responder: Sendable {
    case routes(RouteTable)
    case script(Script)

    func choose(for request: PreparedRequest) throws(TransportError) -> RouteTable.Choice {
        switch self {
        case .routes(let table): return try table.choose(for: request)
        case .script(let script):
            guard let (call, reply) = script.next() else {
                throw .unmatched("no reply for \(request); the script has no more replies, so add one")
            }
            return RouteTable.Choice(route: nil, reply: reply, parameters: [:], call: call)
        }
    }

    /// Makes all replies unused.
    func reset() {
        switch self {
        case .routes(let table): table.reset()
        case .script(let script): script.reset()
        }
    }
}

/// A sequence of replies, each used once.
final class Script: Sendable {
    private let replies: Locked<[StubTransport.Reply]>
    /// Whether the last reply is used for all further requests.
    let repeatsLast: Bool
    private let used = Locked(0)

    init(_ replies: [StubTransport.Reply], repeatsLast: Bool = false) {
        self.replies = Locked(replies)
        self.repeatsLast = repeatsLast
    }

    var count: Int { replies.withLock { $0.count } }

    var unusedCount: Int { repeatsLast ? 0 : count - used.withLock { $0 } }

    func next() -> (call: Int, reply: StubTransport.Reply)? {
        let replies = replies.withLock { $0 }
        return used.withLock { used in
            guard let reply = used < replies.count ? replies[used] : repeatsLast ? replies.last : nil else {
                return nil
            }
            used += 1
            return (used, reply)
        }
    }

    func append(_ reply: StubTransport.Reply) { replies.withLock { $0.append(reply) } }

    func reset() { used.withLock { $0 = 0 } }
}
