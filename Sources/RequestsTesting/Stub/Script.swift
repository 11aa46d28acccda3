import Requests
import RequestsClient

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
}
