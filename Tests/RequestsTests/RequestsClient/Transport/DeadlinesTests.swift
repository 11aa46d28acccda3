import Requests
import RequestsClient
import Testing

@Suite("Deadlines of an exchange", .timeLimit(.minutes(5)))
struct DeadlinesTests {
    private let second: UInt64 = 1_000_000_000

    private func deadlines(idle: Duration? = nil, total: Duration? = nil, start: UInt64 = 0) -> Deadlines {
        Deadlines(Timeouts(idle: idle, total: total), start: start)
    }

    @Test(
        "The time that is left of a call shortens the total timeout, and stands for it if there is none",
        arguments: [(5, 3, 3), (3, 5, 3), (nil, 4, 4), (5, nil, 5)] as [(Int64?, Int64?, Int64)]
    )
    func remaining(total: Int64?, left: Int64?, expected: Int64) {
        let timeouts = Timeouts(total: total.map { .seconds($0) })
        let left = left.map { Duration.seconds($0) }
        #expect(Deadlines(timeouts, remaining: left, start: 0).next == UInt64(expected) * 1_000_000_000)
        let named = total.map { Duration.seconds($0) } ?? left ?? .zero
        #expect(TransportError.reason(.total, of: timeouts, remaining: left).contains(" of \(named) was reached"))
    }

    @Test("Without limits, the idle timeout of 60 seconds ends a stall")
    func defaults() {
        let deadlines = deadlines(start: 5 * second)
        #expect(deadlines.next == 65 * second)
        #expect(deadlines.reached(at: 65 * second - 1) == nil)
        #expect(deadlines.reached(at: 65 * second) == .idle)
    }

    @Test("Activity postpones the idle deadline but not the total one")
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

    @Test("The connect timeout applies until the connection is established")
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

    @Test("The idle timeout starts when the wait for a free connection ends")
    func waiting() {
        let timeouts = Timeouts(idle: .seconds(2), total: .seconds(100))
        var deadlines = Deadlines(timeouts, start: 0, isConnecting: true)
        #expect(deadlines.next == 100 * second)
        #expect(deadlines.reached(at: 99 * second) == nil)
        deadlines.noteConnecting(at: 10 * second)
        #expect(deadlines.next == 12 * second)
        #expect(deadlines.reached(at: 12 * second) == .idle)
    }

    @Test("The total timeout is reported if both are reached")
    func both() {
        #expect(deadlines(idle: .seconds(1), total: .seconds(1)).reached(at: second) == .total)
    }

    @Test("The idle timeout is suspended while the reader is slow, and then restarts")
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
        #expect(deadlines.next == 62 * second, "a deadline that isn't suspended keeps running")
    }

    @Test("There is no next check while no deadline can be reached")
    func nothing() {
        var deadlines = deadlines(idle: .seconds(2))
        deadlines.suspendIdle(true, at: 0)
        #expect(deadlines.next == nil)
        #expect(deadlines.reached(at: .max) == nil)
    }

    @Test(
        "Extreme durations don't trap",
        arguments: [.seconds(Int64.max), .seconds(Int64.min), .zero, .nanoseconds(1)] as [Duration]
    )
    func extremes(limit: Duration) {
        let deadlines = deadlines(idle: limit, total: limit, start: 1_000 * second)
        #expect((deadlines.reached(at: 1_000 * second + 1) == nil) == (limit > .nanoseconds(1)))
    }

    @Test("The reason names the timeout and its duration")
    func reason() {
        let timeouts = Timeouts(idle: .seconds(2), total: .seconds(5))
        #expect(
            TransportError.reason(.idle, of: timeouts) == "the idle timeout of 2.0 seconds was reached (timeouts.idle)"
        )
        #expect(
            TransportError.reason(.total, of: timeouts)
                == "the total timeout of 5.0 seconds was reached (timeouts.total)"
        )
        #expect(
            TransportError.reason(.idle, of: Timeouts())
                == "the idle timeout of 60.0 seconds was reached (timeouts.idle)"
        )
    }
}
