import Foundation
import Requests
import RequestsClient
import Synchronization
import Testing

/// Thread Sanitizer is the judge of this one: without it, nothing can fail but the time limit.
/// Here and not in RequestsTests: `.ci/run` sanitizes this target alone.
@Suite("A task that waits", .timeLimit(.minutes(5)))
struct WaiterTests {
    /// Unchecked, because the waiter alone orders who writes the value and who reads it.
    private final class Letter: @unchecked Sendable {
        var value = 0
        private let isSent = Atomic(false)

        /// Relaxed, so that it is not what orders the threads.
        func send() { isSent.store(true, ordering: .relaxed) }
        func waitUntilSent() { while !isSent.load(ordering: .relaxed) { sched_yield() } }
    }

    @Test("may be resumed by another thread before it is suspended")
    func early() async {
        let letter = Letter()
        await Waiter.wait { waiter in
            Thread {
                letter.value = 1
                waiter.resume()
                letter.send()
            }
            .start()
            letter.waitUntilSent()
        }
        #expect(letter.value == 1)
    }
}
