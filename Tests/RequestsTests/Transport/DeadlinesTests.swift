import Requests
import Testing

@Suite("The deadlines of an exchange", .timeLimit(.minutes(5)))
struct DeadlinesTests {
    private let second: UInt64 = 1_000_000_000

    private func deadlines(idle: Duration? = nil, total: Duration? = nil, start: UInt64 = 0) -> Deadlines {
        Deadlines(Timeouts(idle: idle, total: total), start: start)
    }

    @Test("without a limit the idle one of 60 seconds is what ends a stall")
    func defaults() {
        let deadlines = deadlines(start: 5 * second)
        #expect(deadlines.next == 65 * second)
        #expect(deadlines.reached(at: 65 * second - 1) == nil)
        #expect(deadlines.reached(at: 65 * second) == .idle)
    }

    @Test("activity puts the idle deadline off, the total one never")
    func activity() {
        var deadlines = deadlines(idle: .seconds(2), total: .seconds(5))
        #expect(deadlines.next == 2 * second)
        deadlines.noteActivity(at: 1 * second)
        #expect(deadlines.next == 3 * second)
        #expect(deadlines.reached(at: 3 * second - 1) == nil)
        deadlines.noteActivity(at: 4 * second)
        #expect(deadlines.next == 5 * second)
        #expect(deadlines.reached(at: 5 * second) == .total)
    }

    @Test("the connect limit runs until the connection stands, where that is said")
    func connecting() {
        let timeouts = Timeouts(connect: .seconds(1), idle: .seconds(2))
        #expect(Deadlines(timeouts, start: 0).next == 2 * second)
        var deadlines = Deadlines(timeouts, start: 0, isConnecting: true)
        #expect(deadlines.next == second)
        #expect(deadlines.reached(at: second - 1) == nil)
        #expect(deadlines.reached(at: second) == .connect)
        deadlines.noteConnected(at: second)
        #expect(deadlines.next == 3 * second)
        #expect(deadlines.reached(at: 2 * second) == nil)
    }

    @Test("the total limit is named where both are reached")
    func both() {
        #expect(deadlines(idle: .seconds(1), total: .seconds(1)).reached(at: second) == .total)
    }

    @Test("the idle limit does not run while the reader is the slow side, and starts anew after it")
    func suspension() {
        var deadlines = deadlines(idle: .seconds(2), total: .seconds(100))
        deadlines.suspendIdle(true, at: second)
        #expect(deadlines.next == 100 * second)
        #expect(deadlines.reached(at: 99 * second) == nil)
        deadlines.suspendIdle(true, at: 50 * second)
        deadlines.suspendIdle(false, at: 60 * second)
        #expect(deadlines.next == 62 * second)
        #expect(deadlines.reached(at: 62 * second) == .idle)
        deadlines.suspendIdle(false, at: 61 * second)
        #expect(deadlines.next == 62 * second, "what is not suspended does not end its suspension")
    }

    @Test("there is nothing to look at again while nothing can be reached")
    func nothing() {
        var deadlines = deadlines(idle: .seconds(2))
        deadlines.suspendIdle(true, at: 0)
        #expect(deadlines.next == nil)
        #expect(deadlines.reached(at: .max) == nil)
    }

    @Test(
        "no limit traps, however long or short",
        arguments: [.seconds(Int64.max), .seconds(Int64.min), .zero, .nanoseconds(1)] as [Duration]
    )
    func extremes(limit: Duration) {
        let deadlines = deadlines(idle: limit, total: limit, start: 1_000 * second)
        #expect((deadlines.reached(at: 1_000 * second + 1) == nil) == (limit > .nanoseconds(1)))
    }

    @Test("the words for a limit name it and how long it was")
    func words() {
        let timeouts = Timeouts(idle: .seconds(2), total: .seconds(5))
        #expect(TransportError.reason(.idle, of: timeouts) == "the idle timeout of 2.0 seconds was reached")
        #expect(TransportError.reason(.total, of: timeouts) == "the total timeout of 5.0 seconds was reached")
        #expect(TransportError.reason(.idle, of: Timeouts()) == "the idle timeout of 60.0 seconds was reached")
    }
}
