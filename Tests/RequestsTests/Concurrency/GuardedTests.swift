import Dispatch
import Requests
import Testing

@Suite("A guarded value", .timeLimit(.minutes(5)))
struct GuardedTests {
    private final class Counter: Sendable {
        let count = Guarded(0)
    }

    @Test("is changed by one thread at a time")
    func exclusion() {
        let counter = Counter()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { counter.count.withLock { $0 += 1 } }
        }
        #expect(counter.count.withLock { $0 } == 80_000)
    }

    @Test("keeps what was changed before an error, and lets the next one in")
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
