import Foundation
import RequestsClient
import Synchronization
import Testing

/// Relies on Thread Sanitizer. Without it, the test can only fail by hanging. It is in this target because `.ci/run`
/// sanitizes only this one.
@Suite("Waiter", .timeLimit(.minutes(5)))
struct WaiterTests {
    /// Unchecked, because only the waiter synchronizes the access to the value.
    private final class Letter: @unchecked Sendable {
        var value = 0
        private let isSent = Atomic(false)

        /// Relaxed, so that the flag doesn't synchronize the threads.
        func send() { isSent.store(true, ordering: .relaxed) }
        func waitUntilSent() { while !isSent.load(ordering: .relaxed) { sched_yield() } }
    }

    @Test("A waiter can be resumed by another thread before it suspends")
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
