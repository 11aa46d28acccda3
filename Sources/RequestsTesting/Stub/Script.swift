import Requests
import RequestsClient

/// Replies that are given once each, in order.
final class Script: Sendable {
    let count: Int
    private let rest: Locked<ArraySlice<StubTransport.Reply>>

    init(_ replies: [StubTransport.Reply]) {
        count = replies.count
        rest = Locked(replies[...])
    }

    func next() -> StubTransport.Reply? {
        rest.withLock { $0.popFirst() }
    }
}
