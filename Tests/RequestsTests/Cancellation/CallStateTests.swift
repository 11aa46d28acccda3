import Dispatch
import Requests
@testable import RequestsClient
import RequestsTesting
import Synchronization
import Testing

@Suite("Code of others in a call", .timeLimit(.minutes(60)))
struct CallStateTests {
    /// The order of events, whatever the clock.
    private final class Order: Sendable {
        private let count = Atomic(0)
        private let sent = Atomic(Int.max)

        func next() -> Int { count.add(1, ordering: .sequentiallyConsistent).newValue }
        func send(_ position: Int) { sent.store(position, ordering: .sequentiallyConsistent) }
        var position: Int { sent.load(ordering: .sequentiallyConsistent) }
    }

    @Test("It sends nothing if it starts after its task was canceled")
    func canceledBeforeTheStart() async throws {
        let request = try PreparedRequest(url: RequestURL("https://h/"))
        var late = 0
        for round in 0..<20_000 {
            let (order, state) = (Order(), CallState())
            let task = Task {
                try await CallState.$current.withValue(state) {
                    try await CallState.isolating(endsCall: true) {
                        let position = order.next()
                        try state.begins(request)
                        order.send(position)
                    }
                }
            }
            // Cancels at a different point in each round.
            for _ in 0..<(round % 400) { _ = order.position }
            task.cancel()
            let canceled = order.next()
            _ = await task.result
            // The operation may outlive the call.
            if order.position != .max, order.position > canceled { late += 1 }
        }
        #expect(late == 0)
    }
}
