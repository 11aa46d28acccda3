import Dispatch
import RequestsClient
import Testing

@Suite("Locked values", .timeLimit(.minutes(5)))
struct LockedTests {
    private final class Counter: Sendable {
        let count = Locked(0)
    }

    @Test("A locked value is changed by one thread at a time")
    func exclusion() {
        let counter = Counter()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { counter.count.withLock { $0 += 1 } }
        }
        #expect(counter.count.withLock { $0 } == 80_000)
    }

    @Test("A change before an error is kept, and the lock is released")
    func errors() {
        struct Broken: Error, Equatable {}
        let counter = Counter()
        #expect(throws: Broken()) {
            try counter.count.withLock { count in
                count = 1
                throw Broken()
            }
        }
        #expect(counter.count.withLock { $0 } == 1)
    }
}
